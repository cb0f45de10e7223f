// Detects stopped job runners. A job locked by a killed server stays locked, and the library releases it only after
// hours. Therefore each runner holds an advisory lock on its own connection: PostgreSQL releases the lock with the
// connection, and other servers can check it.
import { sql } from 'kysely'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { Db } from '../db/database.ts'
import { openPersistentConnection, type PersistentConnection } from '../db/persistent-connection.ts'

/** A class id that no other advisory lock uses. */
const runnerLock = 740_218_331
/** A runner may take its first job shortly before it holds its lock. */
const unshownSeconds = 1

/** Holds the lock of the runner until it is closed or the process ends. */
export const lockRunner = (connectionString: string, runnerId: string, log: Logger): Promise<PersistentConnection> =>
  openPersistentConnection(connectionString, {
    prepare: async (client) => {
      // Without keep-alive, the database would keep the lock of a vanished machine for hours.
      await client.query(`set tcp_keepalives_idle = 15; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3`)
      await client.query('select pg_advisory_lock($1, hashtext($2))', [runnerLock, runnerId])
    },
    // Only finds a connection to reopen; the database detects the loss earlier.
    healthCheckMs: 10_000,
    onLost: () => log.warn('lost the lock of the job runner until the connection is restored'),
    onError: (error) => log.warn({ err: error }, 'the connection with the lock of the job runner failed'),
  })

/**
 * Releases the jobs of stopped runners and returns their ids. The caller's own runners never count as stopped, even
 * while their lock connection is down.
 */
export const freeAbandoned = async (pool: pg.Pool, ownIds: readonly string[] = []): Promise<string[]> => {
  const { rows } = await pool.query<{ gone: string[] | null }>(
    `with gone as (
      select distinct locked_by from graphile_worker.jobs
      where locked_at < now() - make_interval(secs => $2) and locked_by <> all($3::text[]) and not exists (
        select from pg_locks
        where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
          and classid = $1::int::oid and objid = hashtext(locked_by)::oid and objsubid = 2 and granted)
    ), ids as (select array_agg(locked_by) as gone from gone)
    select gone, graphile_worker.force_unlock_workers(gone) from ids where gone is not null`,
    [runnerLock, unshownSeconds, ownIds],
  )
  return rows[0]?.gone ?? []
}

/** Whether any server runs jobs on this database. */
export const isServed = async (db: Db): Promise<boolean> => {
  const { rows } = await sql<{ served: boolean }>`
    select exists (
      select from pg_locks
      where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
        and classid = ${runnerLock}::int::oid and objsubid = 2 and granted) as served`.execute(db)
  return rows[0]?.served ?? false
}
