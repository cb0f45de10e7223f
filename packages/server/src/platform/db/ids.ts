// Converts an id of a request to a predicate. A path id is a full id or its first eight characters; other text matches
// nothing. Tables with short ids have an index on `left(id, 8)`.
import { isId, isShortId } from '@millrace/contract/ids'
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** `where(idMatches('apps.id', text))`: the row with this full or short id. */
export const idMatches = (column: string, text: string): RawBuilder<SqlBool> => {
  if (isId(text)) return sql`${sql.ref(column)} = ${text}`
  return isShortId(text) ? sql`left(${sql.ref(column)}, 8) = ${text}` : sql`false`
}
