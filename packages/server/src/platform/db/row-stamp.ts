// A version of a row, to detect concurrent changes.
import { type RawBuilder, sql } from 'kysely'

/** Changes with every update of the row. */
export const rowStamp = (table: string): RawBuilder<string> => sql<string>`${sql.ref(`${table}.xmin`)}::text`
