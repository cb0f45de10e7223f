// The one place that turns an id of a request into a predicate. Path ids are full ids or their first eight characters;
// anything else names nothing. Tables that are looked up by short id carry an index on `left(id, 8)`.
import { isId, isShortId } from '@millrace/contract/ids'
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** `where(idMatches('apps.id', text))`: the row that this full or short id names. */
export const idMatches = (column: string, text: string): RawBuilder<SqlBool> => {
  if (isId(text)) return sql`${sql.ref(column)} = ${text}`
  return isShortId(text) ? sql`left(${sql.ref(column)}, 8) = ${text}` : sql`false`
}
