// Forward-only migrations: each SQL file runs once, in order, under an advisory lock. Its checksum is stored.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'

const migrationsFolder = fileURLToPath(new URL('../../../migrations/', import.meta.url))
const migrationLock = 7700_0001

/**
 * First and maximum time that a migration waits for a table lock. Other statements on that table queue behind the
 * migration and may hold locks that it needs, so it gives up before the deadlock detection aborts a request, and tries
 * again. The longer times at the end are for locks that last long, such as those of a vacuum.
 */
const lockTimeoutMs = { first: 300, max: 5_000 }
const lockAttempts = 200
const pauseMs = 250
const lockNotAvailable = '55P03'
const deadlock = '40P01'

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

export const pendingMigrations = async (
  client: pg.ClientBase | pg.Pool,
  folder = migrationsFolder,
): Promise<Migration[]> => {
  await client.query(`create table if not exists schema_migrations (
    name text primary key, checksum text not null, applied_at timestamptz not null default now())`)
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations',
  )
  const applied = new Map(rows.map((row) => [row.name, row.checksum]))
  const migrations = await readMigrations(folder)
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

/** Runs one migration in its own transaction. */
const runMigration = async (
  client: pg.ClientBase,
  { name, sql, checksum }: Migration,
  timeoutMs: number,
): Promise<void> => {
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = ${timeoutMs}`)
    await client.query(sql)
    await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [name, checksum])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/** Servers of the previous version are still running, so locks they hold are waited for. */
const runMigrationOnline = async (client: pg.ClientBase, migration: Migration): Promise<void> => {
  const { first, max } = lockTimeoutMs
  for (let attempt = 0; ; attempt += 1) {
    try {
      await runMigration(client, migration, Math.min(first * 2 ** attempt, max))
      return
    } catch (error) {
      const { code } = error as { code?: string }
      const isInTheWay = code === lockNotAvailable || code === deadlock
      if (!isInTheWay || attempt >= lockAttempts)
        throw new Error(`Migration ${migration.name} failed`, { cause: error })
      await sleep(pauseMs)
    }
  }
}

/** Migrates the database to this version's schema. Several servers may call it at the same time. */
export const migrate = async (pool: pg.Pool, folder = migrationsFolder): Promise<string[]> => {
  const client = await pool.connect()
  try {
    // A large table, or another server that is migrating, may take long.
    await client.query('set statement_timeout = 0')
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    const pending = await pendingMigrations(client, folder)
    for (const migration of pending) await runMigrationOnline(client, migration)
    return pending.map((migration) => migration.name)
  } finally {
    await client.query('select pg_advisory_unlock($1)', [migrationLock]).catch(() => undefined)
    // The connection is destroyed, because its settings differ from the others.
    client.release(true)
  }
}
