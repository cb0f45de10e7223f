// Which servers are alive, as far as jobs are concerned. A job that a killed server had taken stays locked, and the
// library waits hours before it takes it for abandoned. So whoever runs jobs holds an advisory lock on a connection of
// its own: PostgreSQL lets go of it with the connection, and everybody else can see that.
import { sql } from 'kysely'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { Db } from '../db/database.ts'
import { type HeldConnection, holdConnection } from '../db/held-connection.ts'

/** Any number that no other advisory lock of ours begins with. */
const lifeLock = 740_218_331
/** A runner takes its first job a moment before it can show that it lives. */
const unshownSeconds = 1

/** Shows that the runner lives, until it is closed or the process ends. */
export const showLife = (connectionString: string, runnerId: string, log: Logger): Promise<HeldConnection> =>
  holdConnection(connectionString, {
    prepare: async (client) => {
      // A machine that vanishes says no goodbye: without this, the database would believe in it for hours.
      await client.query(`set tcp_keepalives_idle = 15; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3`)
      await client.query('select pg_advisory_lock($1, hashtext($2))', [lifeLock, runnerId])
    },
    // The database itself notices sooner; this only finds a connection to dial again.
    askMs: 10_000,
    onLost: () => log.warn('nothing shows that jobs are run here until the connection is back'),
    onError: (error) => log.warn({ err: error }, 'the connection that shows that jobs are run broke'),
  })

/**
 * Makes the jobs of runners that are gone available again; gives the ids of those runners. Whoever asks is not gone, even
 * while it cannot show that: its connection for that may have broken, and its jobs are still in its hands.
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
    [lifeLock, unshownSeconds, ownIds],
  )
  return rows[0]?.gone ?? []
}

/** Whether a server runs jobs on this database at this moment. */
export const isServed = async (db: Db): Promise<boolean> => {
  const { rows } = await sql<{ served: boolean }>`
    select exists (
      select from pg_locks
      where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
        and classid = ${lifeLock}::int::oid and objsubid = 2 and granted) as served`.execute(db)
  return rows[0]?.served ?? false
}
