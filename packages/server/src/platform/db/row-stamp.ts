// Tells whether a row is still the one that was looked at.
import { type RawBuilder, sql } from 'kysely'

/** Another one after every change of the row, whoever made it. */
export const rowStamp = (table: string): RawBuilder<string> => sql<string>`${sql.ref(`${table}.xmin`)}::text`
