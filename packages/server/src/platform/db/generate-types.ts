// Generates TypeScript types from the migrated database. Run by `npm run generate`; `npm run check` compares.
import type pg from 'pg'

type ColumnRow = {
  table_name: string
  column_name: string
  data_type: string
  udt_name: string
  is_nullable: 'YES' | 'NO'
  column_default: string | null
  is_identity: 'YES' | 'NO'
}

const scalarTypes: Record<string, string> = {
  text: 'string',
  varchar: 'string',
  bool: 'boolean',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  numeric: 'number',
  float8: 'number',
  bytea: 'Buffer',
  cidr: 'string',
  inet: 'string',
  tsvector: 'string',
  bit: 'string',
  varbit: 'string',
  uuid: 'string',
  timestamptz: 'Timestamp',
  json: 'Json',
  jsonb: 'Json',
}

const typeOf = (column: ColumnRow): string => {
  const name = column.udt_name.replace(/^_/, '')
  const scalar = scalarTypes[name]
  if (scalar === undefined)
    throw new Error(`No TypeScript type for ${column.table_name}.${column.column_name} (${name})`)
  return column.udt_name.startsWith('_') ? `${scalar}[]` : scalar
}

/** A check constraint of the form `column in ('a', 'b')` becomes a union of literals. */
const literalUnions = async (client: pg.ClientBase): Promise<Map<string, string>> => {
  const { rows } = await client.query<{ table_name: string; definition: string }>(`
    select c.conrelid::regclass::text as table_name, pg_get_constraintdef(c.oid) as definition
    from pg_constraint c join pg_namespace n on n.oid = c.connamespace where c.contype = 'c' and n.nspname = 'public'`)
  const unions = new Map<string, string>()
  for (const { table_name, definition } of rows) {
    const match = /^CHECK \(\((\w+) = ANY \(ARRAY\[(.+)\]\)\)\)$/.exec(definition)
    if (!match) continue
    const literals = [...(match[2] ?? '').matchAll(/'([^']*)'::text/g)].map(([, literal]) => `'${literal}'`)
    unions.set(`${table_name}.${match[1]}`, literals.join(' | '))
  }
  return unions
}

const header = `// Generated from the migrated database by \`npm run generate\`. Do not edit.
import type { ColumnType } from 'kysely'

/** RFC 3339 text with microseconds when read; text or a date when written. */
export type Timestamp = ColumnType<string, string | Date, string | Date>
/** A parsed JSON value when read; JSON text when written. */
export type Json = ColumnType<unknown, string, string>
type WithDefault<T> = [T] extends [ColumnType<infer S, infer I, infer U>] ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>
type OrNull<T> = [T] extends [ColumnType<infer S, infer I, infer U>] ? ColumnType<S | null, I | null | undefined, U | null> : ColumnType<T | null, T | null | undefined, T | null>
`

const listsHeader = `
/** Every column of every table in this version. */
export const columns: { readonly [T in keyof Database]: readonly (keyof Database[T] & string)[] } = {
`

const columnLine = (column: ColumnRow, union: string | undefined): string => {
  const type = union ?? typeOf(column)
  const hasDefault = column.column_default !== null || column.is_identity === 'YES'
  if (column.is_nullable === 'YES') return `    ${column.column_name}: OrNull<${type}>`
  return `    ${column.column_name}: ${hasDefault ? `WithDefault<${type}>` : type}`
}

export const generateTypes = async (client: pg.ClientBase): Promise<string> => {
  const { rows } = await client.query<ColumnRow>(`
    select table_name, column_name, data_type, udt_name, is_nullable, column_default, is_identity
    from information_schema.columns
    where table_schema = 'public' and table_name <> 'schema_migrations'
      and table_name in (select tablename from pg_tables where schemaname = 'public')
    order by table_name collate "C", ordinal_position`)
  const unions = await literalUnions(client)
  const tables = Map.groupBy(rows, (row) => row.table_name)
  const blocks = [...tables].map(([table, columns]) => {
    const lines = columns.map((column) => columnLine(column, unions.get(`${table}.${column.column_name}`)))
    return `  ${table}: {\n${lines.join('\n')}\n  }`
  })
  const lists = [...tables].map(
    ([table, columns]) => `  ${table}: [${columns.map(({ column_name }) => `'${column_name}'`).join(', ')}],`,
  )
  return `${header}\nexport type Database = {\n${blocks.join('\n')}\n}\n${listsHeader}${lists.join('\n')}\n}\n`
}
