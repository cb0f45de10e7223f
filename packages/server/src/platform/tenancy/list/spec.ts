// The columns of a list that a caller may filter, sort and search by. All others are rejected by name.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../db/schema.gen.ts'

export type ColumnType = 'text' | 'number' | 'boolean' | 'time' | 'array'

export type Column = {
  /** Qualified column name in the list's query. */
  ref: string
  type: ColumnType
  /** Nulls sort last in both directions. */
  nullable?: true
}

/** Columns of one table under their own names. */
export const columnsOf =
  (table: string) =>
  (name: string, type: ColumnType = 'text'): Column => ({ ref: `${table}.${name}`, type })

/** The columns of every resource with a namespace and a name. */
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

/** For columns that can be null. */
export const nullable = { nullable: true } as const

export type SortKey = { field: string; dir: 'asc' | 'desc' }

export type ListSpec = {
  /** Qualified name of the id column, which breaks ties in every order. */
  id: string
  columns: Readonly<Record<string, Column>>
  /** Fields for `search`; must be text columns. */
  search: readonly string[]
  defaultSort?: readonly SortKey[]
  defaultLimit?: number
  maxLimit?: number
  /** Filters that are not a plain column, such as "has this tag". Null rejects the operator. */
  custom?: Readonly<Record<string, (operator: string, value: unknown) => RawBuilder<SqlBool> | null>>
}

/** Looks up an own member by the name that a caller sent; ignores inherited members of objects. */
export const ofField = <T>(record: Readonly<Record<string, T>> | undefined, field: string): T | undefined =>
  record && Object.hasOwn(record, field) ? record[field] : undefined

export const defaultLimit = 50
export const maxLimit = 100

/** Rows below this stored size count as small; compression can shrink values by up to a factor of 100. */
const smallRow = 4_096

/** Size of the row in bytes when sent. Measuring costs as much as sending, so rows that are stored small count as 0. */
export const sizeOfRow = (name: string): RawBuilder<number> =>
  sql<number>`(case when pg_column_size(${sql.ref(name)}) > ${sql.lit(smallRow)} then octet_length(${sql.ref(name)}::text) else 0 end)`

/** Size of the row that a foreign key column refers to. */
export const sizeOf = (table: keyof Database, namedBy: string): RawBuilder<number> =>
  sql<number>`(select ${sizeOfRow('named')} from ${sql.table(table)} named where named.id = ${sql.ref(namedBy)})`
