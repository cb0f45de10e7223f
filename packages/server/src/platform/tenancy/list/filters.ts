// Builds SQL predicates for filters of a list request. Values are always parameters; columns come from the allow-list.
import type { FilterOperator } from '@millrace/contract/common'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { fail } from '../../core/errors.ts'
import { isCalendarDay } from '../../core/times.ts'
import type { Column, ColumnType } from './spec.ts'

type Predicate = RawBuilder<SqlBool>

const wrongValue = (field: string, expected: string) =>
  fail('validation_error', `The value of filter "${field}" must be ${expected}`)

const asText = (field: string, value: unknown): string => {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
    throw wrongValue(field, 'text')
  const text = String(value)
  if (text.includes('\0')) throw wrongValue(field, 'text without NUL characters')
  return text
}

/** Without an offset, PostgreSQL would use its own time zone. */
const inUtc = (text: string): string => (/[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/i.test(text) ? `${text}Z` : text)

/** A scalar as a SQL parameter of the column's type. */
export const typedValue = (field: string, type: ColumnType, value: unknown): RawBuilder<unknown> => {
  switch (type) {
    case 'number': {
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
      if (typeof number !== 'number' || !Number.isFinite(number)) throw wrongValue(field, 'a number')
      return sql`${number}::numeric`
    }
    case 'boolean': {
      if (value !== true && value !== false && value !== 'true' && value !== 'false')
        throw wrongValue(field, 'true or false')
      return sql`${String(value) === 'true'}::boolean`
    }
    case 'time': {
      const text = asText(field, value)
      const at = new Date(isCalendarDay(text.slice(0, 10)) ? inUtc(text) : Number.NaN)
      const year = at.getUTCFullYear()
      if (!(year >= 1 && year <= 9999)) throw wrongValue(field, 'an RFC 3339 time')
      // Text keeps microseconds; a JavaScript date would not.
      return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?Z$/.test(text)
        ? sql`${text}::timestamptz`
        : sql`${at.toISOString()}::timestamptz`
    }
    default:
      return sql`${asText(field, value)}::text`
  }
}

const typedArray = (field: string, type: ColumnType, value: unknown): RawBuilder<unknown> | null => {
  if (!Array.isArray(value) || value.length > 1000) throw wrongValue(field, 'an array of at most 1000 values')
  return value.length === 0 ? null : sql.join(value.map((item) => typedValue(field, type, item)))
}

/** Nothing is in an empty list, whatever the type of the column. */
const isOneOf = (field: string, ref: RawBuilder<unknown>, type: ColumnType, value: unknown): Predicate => {
  const values = typedArray(field, type === 'array' ? 'text' : type, value)
  if (values === null) return sql`false`
  return type === 'array' ? sql`coalesce(${ref} && array[${values}]::text[], false)` : sql`${ref} in (${values})`
}

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, (character) => `\\${character}`)

/** A trailing backslash would escape nothing, which PostgreSQL refuses. */
const asPattern = (field: string, value: unknown): string => {
  const text = asText(field, value)
  return /(^|[^\\])(\\\\)*\\$/.test(text) ? `${text}\\` : text
}

const comparisons = { gt: sql.raw('>'), gte: sql.raw('>='), lt: sql.raw('<'), lte: sql.raw('<=') } as const

export const filterPredicate = (field: string, column: Column, operator: string, value: unknown): Predicate => {
  const ref = sql.ref(column.ref)
  const { type } = column
  const asString = sql`${ref}::text`
  if (type === 'array') return arrayPredicate(field, ref, operator, value)
  switch (operator as FilterOperator) {
    case 'eq':
      return sql`${ref} = ${typedValue(field, type, value)}`
    case 'neq':
      return sql`${ref} is distinct from ${typedValue(field, type, value)}`
    case 'in':
      return isOneOf(field, ref, type, value)
    case 'not_in':
      return sql`(${ref} is null or not (${isOneOf(field, ref, type, value)}))`
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return sql`${ref} ${comparisons[operator as keyof typeof comparisons]} ${typedValue(field, type, value)}`
    case 'like':
      return sql`${asString} like ${asPattern(field, value)}`
    case 'ilike':
      return sql`${asString} ilike ${asPattern(field, value)}`
    case 'contains':
      return sql`${asString} ilike ${`%${escapeLike(asText(field, value))}%`}`
    case 'not_contains':
      return sql`(${ref} is null or ${asString} not ilike ${`%${escapeLike(asText(field, value))}%`})`
    case 'is_null':
      return sql`${ref} is null`
    case 'is_not_null':
      return sql`${ref} is not null`
    case 'is_empty':
      return sql`(${ref} is null or ${asString} = '')`
    case 'is_not_empty':
      return sql`(${ref} is not null and ${asString} <> '')`
    default:
      throw unknownOperator(field, operator)
  }
}

const arrayPredicate = (field: string, ref: RawBuilder<unknown>, operator: string, value: unknown): Predicate => {
  switch (operator) {
    case 'contains':
    case 'eq':
      return sql`${asText(field, value)}::text = any(${ref})`
    case 'not_contains':
    case 'neq':
      return sql`not (${asText(field, value)}::text = any(coalesce(${ref}, '{}')))`
    case 'in':
      return isOneOf(field, ref, 'array', value)
    case 'not_in':
      return sql`not (${isOneOf(field, ref, 'array', value)})`
    case 'is_null':
      return sql`${ref} is null`
    case 'is_not_null':
      return sql`${ref} is not null`
    case 'is_empty':
      return sql`coalesce(cardinality(${ref}), 0) = 0`
    case 'is_not_empty':
      return sql`coalesce(cardinality(${ref}), 0) > 0`
    default:
      throw unknownOperator(field, operator)
  }
}

export const unknownOperator = (field: string, operator: string) =>
  fail('validation_error', `Unknown operator "${operator}" for filter "${field}"`)

export const searchPredicate = (refs: readonly string[], term: string, exact: boolean): Predicate => {
  const pattern = `%${escapeLike(term)}%`
  const tests = refs.map((name) =>
    exact ? sql<SqlBool>`lower(${sql.ref(name)}) = lower(${term})` : sql<SqlBool>`${sql.ref(name)} ilike ${pattern}`,
  )
  return sql`(${sql.join(tests, sql` or `)})`
}
