// What the figures of /metrics are read from. Each statement walks an index over what is alive, never the history.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

export type Counted = { name: string; count: number }

/** Beyond this a queue is simply long: counting on would cost what the figure is meant to warn of. */
const mostCounted = 100_000

export const readQueue = async (db: Db): Promise<{ depth: number; oldestSeconds: number }> => {
  const { rows } = await sql<{ depth: number; oldest_seconds: number }>`
    select count(*)::int as depth, greatest(0, coalesce(extract(epoch from now() - min(created_at)), 0))::float8 as oldest_seconds
    from (select created_at from tasks where status = 2 and deleted_at is null order by available_at limit ${mostCounted}) as queued
  `.execute(db)
  return { depth: rows[0]?.depth ?? 0, oldestSeconds: rows[0]?.oldest_seconds ?? 0 }
}

export const countLiveTasks = async (db: Db): Promise<{ status: number; count: number }[]> => {
  const { rows } = await sql<{ status: number; count: number }>`
    select status, count(*)::int as count from tasks where status between 3 and 9 group by status
  `.execute(db)
  return rows
}

export const countEngines = async (db: Db): Promise<Counted[]> =>
  db
    .selectFrom('engines')
    .select(({ fn }) => ['status as name', fn.countAll<number>().as('count')])
    .where('deleted_at', 'is', null)
    .groupBy('status')
    .execute()

export const countWorkers = async (db: Db): Promise<Counted[]> =>
  db
    .selectFrom('workers')
    .innerJoin('engines', 'engines.id', 'workers.engine_id')
    .select(({ fn }) => ['workers.status as name', fn.countAll<number>().as('count')])
    .where('engines.deleted_at', 'is', null)
    .groupBy('workers.status')
    .execute()

/** Rows ever written, as the database counts them itself: the same figure on every server, for the price of a look. */
export const countWritten = async (db: Db): Promise<Counted[]> => {
  const { rows } = await sql<Counted>`
    select relname as name, n_tup_ins::float8 as count from pg_stat_user_tables
    where relname in ('tasks', 'trigger_fires', 'webhook_deliveries', 'flow_runs')
  `.execute(db)
  return rows
}
