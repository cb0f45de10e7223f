// What a list admits: the columns a caller may filter, sort and search by. Everything else is refused by name.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/schema.gen.ts'

export type ColumnType = 'text' | 'number' | 'boolean' | 'time' | 'array'

export type Column = {
  /** Qualified column name, as written in the list's own query. */
  ref: string
  type: ColumnType
  /** Nulls sort last in both directions. */
  nullable?: true
}

/** Columns of one table, named as they are there. */
export const columnsOf =
  (table: string) =>
  (name: string, type: ColumnType = 'text'): Column => ({ ref: `${table}.${name}`, type })

/** What everything with a name in a namespace has. */
export const namedColumns = (table: string) => {
  const column = columnsOf(table)
  return {
    id: column('id'),
    team_id: column('team_id'),
    user_id: column('user_id'),
    namespace: column('namespace'),
    name: column('name'),
    title: column('title'),
    visibility: column('visibility'),
    created_at: column('created_at', 'time'),
    updated_at: column('updated_at', 'time'),
  }
}

/** Spread over a column that can be null. */
export const nullable = { nullable: true } as const

export type SortKey = { field: string; dir: 'asc' | 'desc' }

export type ListSpec = {
  /** Qualified name of the id column: the tie-breaker of every order. */
  id: string
  columns: Readonly<Record<string, Column>>
  /** Fields that `search` looks through; must be text columns. */
  search: readonly string[]
  defaultSort?: readonly SortKey[]
  defaultLimit?: number
  maxLimit?: number
  /** Filters that are not a plain column, such as "carries this tag". Return null to refuse the operator. */
  custom?: Readonly<Record<string, (operator: string, value: unknown) => RawBuilder<SqlBool> | null>>
}

/** What a list says about a field that a caller named; not what every object has by that name. */
export const ofField = <T>(said: Readonly<Record<string, T>> | undefined, field: string): T | undefined =>
  said && Object.hasOwn(said, field) ? said[field] : undefined

export const defaultLimit = 50
export const maxLimit = 100

/** How large a row is that is small where it is stored: it may be packed, which takes up to a hundredth. */
const smallRow = 4_096

/** Size of the row in bytes when sent. Measuring costs as much as sending, so rows that are stored small count as 0. */
export const sizeOfRow = (name: string): RawBuilder<number> =>
  sql<number>`(case when pg_column_size(${sql.ref(name)}) > ${sql.lit(smallRow)} then octet_length(${sql.ref(name)}::text) else 0 end)`

/** How large the row is that a column names. */
export const sizeOf = (table: keyof Database, namedBy: string): RawBuilder<number> =>
  sql<number>`(select ${sizeOfRow('named')} from ${sql.table(table)} named where named.id = ${sql.ref(namedBy)})`
