// Forward-only migrations: each SQL file once, in order, under one advisory lock, with its checksum remembered.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'

const migrationsFolder = fileURLToPath(new URL('../../migrations/', import.meta.url))
const migrationLock = 7700_0001

export type Migration = { name: string; sql: string; checksum: string }

export const readMigrations = async (folder = migrationsFolder): Promise<Migration[]> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(`${folder}/${name}`, 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

export const pendingMigrations = async (client: pg.ClientBase | pg.Pool): Promise<Migration[]> => {
  await client.query(`create table if not exists schema_migrations (
    name text primary key, checksum text not null, applied_at timestamptz not null default now())`)
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations',
  )
  const applied = new Map(rows.map((row) => [row.name, row.checksum]))
  const migrations = await readMigrations()
  const known = new Set(migrations.map((migration) => migration.name))
  for (const name of applied.keys()) {
    if (!known.has(name))
      throw new Error(`The database was migrated by a newer Millrace (${name}); start that version instead`)
  }
  for (const { name, checksum } of migrations) {
    const before = applied.get(name)
    if (before !== undefined && before !== checksum)
      throw new Error(`Migration ${name} was edited after it had been applied; restore the file`)
  }
  return migrations.filter((migration) => !applied.has(migration.name))
}

/** Brings the database to this version's schema. Several replicas may call it at once. */
export const migrate = async (pool: pg.Pool): Promise<string[]> => {
  const client = await pool.connect()
  try {
    // A large table may take its time, and so may another replica that migrates right now.
    await client.query('set statement_timeout = 0')
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    const pending = await pendingMigrations(client)
    for (const { name, sql, checksum } of pending) {
      await client.query('begin')
      try {
        await client.query(sql)
        await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [name, checksum])
        await client.query('commit')
      } catch (error) {
        await client.query('rollback')
        throw new Error(`Migration ${name} failed`, { cause: error })
      }
    }
    return pending.map((migration) => migration.name)
  } finally {
    await client.query('select pg_advisory_unlock($1)', [migrationLock]).catch(() => undefined)
    // Its limits are not those of the connections to come.
    client.release(true)
  }
}
