// Path ids are full ids or their first eight characters. Tables that are looked up by short id carry an index on
// `left(id, 8)`.
import { isShortId } from '@millrace/contract/ids'
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** `where(idMatches('apps.id', text))`: the row that this full or short id names. */
export const idMatches = (column: string, text: string): RawBuilder<SqlBool> =>
  isShortId(text) ? sql`left(${sql.ref(column)}, 8) = ${text}` : sql`${sql.ref(column)} = ${text}`
