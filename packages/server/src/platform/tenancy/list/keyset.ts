// "The rows after this one" as a predicate. When all directions agree and no column can be null, a row comparison lets
// the index find the place at once; otherwise the comparison is spelled out column by column.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { fail } from '../../core/errors.ts'
import type { Cursor } from './cursor.ts'
import { typedValue } from './filters.ts'
import { type Column, type ListSpec, ofField, type SortKey } from './spec.ts'

export type OrderKey = { field: string; column: Column; dir: 'asc' | 'desc' }

const flip = (dir: 'asc' | 'desc') => (dir === 'asc' ? 'desc' : 'asc')

export const orderKeys = (spec: ListSpec, sort: readonly SortKey[], forward: boolean): OrderKey[] => {
  const keys = sort.map(({ field, dir }) => {
    const column = ofField(spec.columns, field)
    if (!column || column.type === 'array') throw fail('validation_error', `Invalid sort or filter field: ${field}`)
    return { field, column, dir }
  })
  const last = keys.at(-1)?.dir ?? 'desc'
  keys.push({ field: 'id', column: { ref: spec.id, type: 'text' }, dir: last })
  return forward ? keys : keys.map((key) => ({ ...key, dir: flip(key.dir) }))
}

/** Nulls come last going forward, so first going backward. */
export const orderBy = (key: OrderKey, forward: boolean): RawBuilder<unknown> => {
  const dir = sql.raw(key.dir)
  if (!key.column.nullable) return sql`${sql.ref(key.column.ref)} ${dir}`
  return sql`${sql.ref(key.column.ref)} ${dir} nulls ${sql.raw(forward ? 'last' : 'first')}`
}

export const afterCursor = (keys: readonly OrderKey[], cursor: Cursor, forward: boolean): RawBuilder<SqlBool> => {
  const values = [...cursor.values, cursor.id]
  const first = keys[0]
  const uniform = keys.every((key) => key.dir === first?.dir && !key.column.nullable)
  const typed = keys.map((key, index) => {
    const value = values[index]
    if (value === null || value === undefined) return null
    try {
      return typedValue(key.field, key.column.type, value)
    } catch {
      throw fail('invalid_request', 'The cursor is not valid')
    }
  })
  if (uniform && typed.every((value) => value !== null)) {
    const refs = keys.map((key) => sql.ref(key.column.ref))
    return sql`(${sql.join(refs)}) ${sql.raw(first?.dir === 'asc' ? '>' : '<')} (${sql.join(typed)})`
  }
  const alternatives = keys.map((key, index) => {
    const equal = keys
      .slice(0, index)
      .map((before, at) => sql<SqlBool>`${sql.ref(before.column.ref)} is not distinct from ${typed[at] ?? sql`null`}`)
    return sql<SqlBool>`(${sql.join([...equal, beyond(key, typed[index] ?? null, forward)], sql` and `)})`
  })
  return sql`(${sql.join(alternatives, sql` or `)})`
}

const beyond = (key: OrderKey, value: RawBuilder<unknown> | null, forward: boolean): RawBuilder<SqlBool> => {
  const ref = sql.ref(key.column.ref)
  // Beyond a null there is nothing going forward, and every value going backward.
  if (value === null) return forward ? sql`false` : sql`${ref} is not null`
  const past = sql<SqlBool>`${ref} ${sql.raw(key.dir === 'asc' ? '>' : '<')} ${value}`
  return key.column.nullable && forward ? sql`(${past} or ${ref} is null)` : past
}
