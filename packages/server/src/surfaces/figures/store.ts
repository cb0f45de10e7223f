// SQL of the figures of /metrics. Each statement scans an index over live rows, never the history.
import { sql } from 'kysely'
import { isQueuedOfAnyKind, liveStatuses } from '#execution/tasks/service.ts'
import type { Db } from '#platform/db/database.ts'

export type NamedCount = { name: string; count: number }

/** Counting stops here: an exact count of a longer queue would add load when the database is busy. */
const maxCounted = 100_000

export const readQueue = async (db: Db): Promise<{ depth: number; oldestSeconds: number }> => {
  const { rows } = await sql<{ depth: number; oldest_seconds: number }>`
    select count(*)::int as depth, greatest(0, coalesce(extract(epoch from now() - min(created_at)), 0))::float8 as oldest_seconds
    from (select created_at from tasks where ${isQueuedOfAnyKind} order by available_at limit ${maxCounted}) as queued
  `.execute(db)
  return { depth: rows[0]?.depth ?? 0, oldestSeconds: rows[0]?.oldest_seconds ?? 0 }
}

export const countLiveTasks = async (db: Db): Promise<{ status: number; count: number }[]> => {
  const { rows } = await sql<{ status: number; count: number }>`
    select status, count(*)::int as count from tasks where status between ${liveStatuses} group by status
  `.execute(db)
  return rows
}

export const countEngines = async (db: Db): Promise<NamedCount[]> =>
  db
    .selectFrom('engines')
    .select(({ fn }) => ['status as name', fn.countAll<number>().as('count')])
    .where('deleted_at', 'is', null)
    .groupBy('status')
    .execute()

export const countWorkers = async (db: Db): Promise<NamedCount[]> =>
  db
    .selectFrom('workers')
    .innerJoin('engines', 'engines.id', 'workers.engine_id')
    .select(({ fn }) => ['workers.status as name', fn.countAll<number>().as('count')])
    .where('engines.deleted_at', 'is', null)
    .groupBy('workers.status')
    .execute()

export type ReportedGpus = { engine: string; gpus: readonly Record<string, unknown>[] }

/** More engines with GPUs would make a scrape slow. */
const maxGpuEngines = 1_000

/** The GPUs of connected engines, as reported by their latest telemetry. */
export const listGpus = async (db: Db): Promise<ReportedGpus[]> => {
  const { rows } = await sql<ReportedGpus>`
    select id as engine, system_info->'gpus' as gpus from engines
    where connected and deleted_at is null and jsonb_typeof(system_info->'gpus') = 'array'
      and system_info->'gpus' <> '[]'
    order by id limit ${maxGpuEngines}`.execute(db)
  return rows
}

/** Rows inserted since installation, from the database's own statistics: cheap, and the same on every server. */
export const countWritten = async (db: Db): Promise<NamedCount[]> => {
  const { rows } = await sql<NamedCount>`
    select relname as name, n_tup_ins::float8 as count from pg_stat_user_tables
    where relname in ('tasks', 'trigger_fires', 'webhook_deliveries', 'flow_runs')
  `.execute(db)
  return rows
}

/** Documents of the search index without embeddings. */
export const countUnembedded = async (db: Db): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from search_documents where vector_hash is distinct from meaning_hash limit ${maxCounted}) as waiting
  `.execute(db)
  return rows[0]?.count ?? 0
}

export type JobRow = { name: string; attempts: number; error: string; updated_at: string }

export const countJobs = async (db: Db): Promise<{ waiting: number; running: number; given_up: number }> => {
  const { rows } = await sql<{ waiting: number; running: number; given_up: number }>`
    select
      count(*) filter (where locked_at is null and attempts < max_attempts and run_at <= now())::int as waiting,
      count(*) filter (where locked_at is not null)::int as running,
      count(*) filter (where locked_at is null and attempts >= max_attempts)::int as given_up
    from (select locked_at, attempts, max_attempts, run_at from graphile_worker.jobs limit ${maxCounted}) as jobs
  `.execute(db)
  return rows[0] ?? { waiting: 0, running: 0, given_up: 0 }
}

/** Jobs that failed and have not succeeded since, latest first, with the beginning of the error. */
export const listFailedJobs = async (db: Db, limit: number): Promise<JobRow[]> => {
  const { rows } = await sql<JobRow>`
    select task_identifier as name, attempts::int, left(last_error, 500) as error, updated_at
    from graphile_worker.jobs where last_error is not null order by updated_at desc limit ${limit}
  `.execute(db)
  return rows
}

export const readDatabase = async (
  db: Db,
): Promise<{ bytes: number; connections: number; max_connections: number }> => {
  const { rows } = await sql<{ bytes: number; connections: number; max_connections: number }>`
    select pg_database_size(current_database())::float8 as bytes,
      (select count(*)::int from pg_stat_activity where datname = current_database()) as connections,
      current_setting('max_connections')::int as max_connections
  `.execute(db)
  return rows[0] ?? { bytes: 0, connections: 0, max_connections: 0 }
}

/**
 * Every table of the schema with its indices and long values, largest first; row counts are the planner's estimates.
 */
export const listTableSizes = async (db: Db): Promise<{ name: string; bytes: number; rows: number }[]> => {
  const { rows } = await sql<{ name: string; bytes: number; rows: number }>`
    select c.relname as name, pg_total_relation_size(c.oid) as bytes, greatest(0, c.reltuples)::bigint as rows
    from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    order by bytes desc, name`.execute(db)
  return rows
}
