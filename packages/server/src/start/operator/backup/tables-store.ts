// SQL of whole tables: listing them, reading all rows in one snapshot, and writing them into an empty database. Rows
// use PostgreSQL's text format of a whole row, which is exact for every type.
import pg from 'pg'
import type { TableFacts } from './records.ts'

/** Tables with temporary state, which are not part of a backup. */
const passing = ['bus_letters', 'servers', 'schema_migrations']
const jobTables = ['_private_job_queues', '_private_tasks', '_private_jobs', '_private_known_crontabs']
const rowsAtOnce = 500

export type Table = { readonly name: string; readonly quoted: string }

const quote = (name: string): string => name.split('.').map(pg.escapeIdentifier).join('.')

export const findTables = async (client: pg.ClientBase): Promise<Table[]> => {
  const { rows } = await client.query<{ name: string }>(
    `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and ((n.nspname = 'public' and c.relname <> all($1))
      or (n.nspname = 'graphile_worker' and c.relname = any($2))) order by 1`,
    [passing, jobTables],
  )
  return rows.map(({ name }) => ({ name, quoted: quote(name) }))
}

/** All later reads see the same snapshot. */
export const beginSnapshot = async (client: pg.ClientBase): Promise<void> => {
  await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0')
  await client.query(`set timezone = 'UTC'; set extra_float_digits = 1`)
  await client.query('begin isolation level repeatable read read only')
}

export const findMigrations = async (client: pg.ClientBase): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>('select name from schema_migrations order by name')
  return rows.map(({ name }) => name)
}

export const tableFacts = async (client: pg.ClientBase, { name, quoted }: Table): Promise<TableFacts> => {
  const { rows } = await client.query<{ rows: string; digest: string }>(
    `select count(*)::text as rows, coalesce(sum(hashtextextended(t::text, 0)::numeric), 0)::text as digest
    from ${quoted} t`,
  )
  return { name, rows: Number(rows[0]?.rows), digest: rows[0]?.digest ?? '' }
}

export async function* readRows(client: pg.ClientBase, { quoted }: Table): AsyncGenerator<string[]> {
  await client.query(`declare backup_rows no scroll cursor for select t::text as row from ${quoted} t`)
  for (;;) {
    const { rows } = await client.query<{ row: string }>(`fetch ${rowsAtOnce} from backup_rows`)
    if (rows.length === 0) break
    yield rows.map(({ row }) => row)
  }
  await client.query('close backup_rows')
}

const columnsOf = async (client: pg.ClientBase, { name }: Table): Promise<string[]> => {
  const { rows } = await client.query<{ column: string }>(
    `select attname as column from pg_attribute
    where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [quote(name)],
  )
  return rows.map(({ column }) => pg.escapeIdentifier(column))
}

/** Writes rows without generated columns, which are computed from the others. */
export const createRowWriter = (client: pg.ClientBase) => {
  const statements = new Map<string, string>()
  return async (table: Table, rows: readonly string[]): Promise<void> => {
    const known = statements.get(table.name)
    const columns = known === undefined ? await columnsOf(client, table) : []
    const statement =
      known ??
      `insert into ${table.quoted} (${columns.join(', ')}) overriding system value
      select ${columns.map((column) => `r.${column}`).join(', ')} from unnest($1::${table.quoted}[]) r`
    statements.set(table.name, statement)
    await client.query(statement, [rows])
  }
}

export const isEmpty = async (client: pg.ClientBase): Promise<boolean> => {
  const { rows } = await client.query('select 1 from users limit 1')
  return rows.length === 0
}

export const isServed = async (client: pg.ClientBase): Promise<boolean> => {
  const { rows } = await client.query(`select 1 from servers where seen_at > now() - interval '10 seconds' limit 1`)
  return rows.length > 0
}

type Constraint = { table: string; name: string; definition: string }

/**
 * Truncates all tables and disables foreign keys and triggers until the rows are inserted. The returned function
 * enables them again and checks every reference.
 */
export const openTables = async (client: pg.ClientBase, tables: readonly Table[]): Promise<() => Promise<void>> => {
  const { rows: constraints } = await client.query<Constraint>(
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and conrelid::regclass::text <> all($1)
      and connamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace)`,
    [passing],
  )
  for (const { table, name } of constraints)
    await client.query(`alter table ${table} drop constraint ${pg.escapeIdentifier(name)}`)
  for (const { quoted } of tables) await client.query(`alter table ${quoted} disable trigger user`)
  await client.query(`truncate ${tables.map(({ quoted }) => quoted).join(', ')}`)
  return async () => {
    for (const { quoted } of tables) await client.query(`alter table ${quoted} enable trigger user`)
    for (const { table, name, definition } of constraints)
      await client.query(`alter table ${table} add constraint ${pg.escapeIdentifier(name)} ${definition}`)
    await advanceSequences(client, tables)
  }
}

/** Sets sequences to continue after the highest used number. */
const advanceSequences = async (client: pg.ClientBase, tables: readonly Table[]): Promise<void> => {
  const { rows } = await client.query<{ table: string; column: string; sequence: string }>(
    `select c.oid::regclass::text as table, a.attname as column,
      pg_get_serial_sequence(c.oid::regclass::text, a.attname) as sequence
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.oid = any(select name::regclass from unnest($1::text[]) name)
      and pg_get_serial_sequence(c.oid::regclass::text, a.attname) is not null`,
    [tables.map(({ quoted }) => quoted)],
  )
  for (const { table, column, sequence } of rows) {
    const highest = `(select coalesce(max(${pg.escapeIdentifier(column)}), 0) from ${table})`
    await client.query(`select setval($1, greatest(${highest}, 1), ${highest} > 0)`, [sequence])
  }
}

/** Jobs that were running during the backup are run by the next server. */
export const freeJobs = async (client: pg.ClientBase): Promise<void> => {
  await client.query('update graphile_worker._private_jobs set locked_at = null, locked_by = null')
  await client.query('update graphile_worker._private_job_queues set locked_at = null, locked_by = null')
}
