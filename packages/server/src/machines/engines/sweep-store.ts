// SQL of the timeouts of engines, workers and queued tasks: one query each. The periodic check asks whether a query has
// rows; the sweep processes them.
import { sql } from 'kysely'
import { isDispatched, isQueuedOfAnyKind, liveStatuses } from '#execution/tasks/service.ts'
import type { Db } from '#platform/db/database.ts'

/** Maximum number of tasks per sweep; the next one continues. */
const taskBatch = 500

export const unacceptedTasks = (db: Db, since: string) =>
  db
    .selectFrom('tasks')
    .select(['id', 'attempt'])
    .where(isDispatched)
    .where('accepted_at', 'is', null)
    .where('updated_at', '<=', since)
    .limit(taskBatch)

export const tasksQueuedSince = (db: Db, since: string) =>
  db
    .selectFrom('tasks')
    .select(['id', 'attempt'])
    .where(isQueuedOfAnyKind)
    .where('available_at', '<=', since)
    .limit(taskBatch)

/** Workers that their reporting engine no longer lists. */
export const missingWorkers = (since: string) =>
  sql<{ id: string }>`
    select w.id from workers w join engines e on e.id = w.engine_id
    where e.connected and w.deleted_at is null and w.status <> 'inactive'
      and e.last_seen_at > ${since}::timestamptz and w.last_seen_at <= ${since}::timestamptz`

export const enginesDisconnectedSince = (db: Db, status: 'disconnected' | 'restarting', since: string) =>
  db
    .selectFrom('engines')
    .select('id')
    .where('status', '=', status)
    .where('connected', '=', false)
    .where('disconnected_at', '<=', since)
    .where('deleted_at', 'is', null)

export const enginesStoppingSince = (db: Db, since: string) =>
  db
    .selectFrom('engines')
    .select(['id', 'stop_reason'])
    .where('status', '=', 'stopping')
    .where((where) => where.or([where('connected', '=', false), where('updated_at', '<=', since)]))
    .where('deleted_at', 'is', null)

/** Draining engines that have no work left, if a user requested the drain. */
export const drainedEngines = sql<{ id: string; connected: boolean }>`
    select e.id, e.connected from engines e where e.status = 'draining' and not e.own_drain and e.deleted_at is null
      and not exists (select 1 from tasks t where t.engine_id = e.id and t.status between ${liveStatuses})`

/** Purges engines that were deleted before a time, with their workers, and deleted workers of existing engines. */
export const purgeDeletedEngines = async (db: Db, before: string, limit: number): Promise<number> => {
  const { rows } = await sql<{ id: string }>`
    with old as (
      select e.id from engines e
      where e.deleted_at < ${before}::timestamptz and not exists (select from instances i where i.engine_id = e.id)
      limit ${limit}),
    gone as (
      delete from workers w where w.deleted_at < ${before}::timestamptz or w.engine_id in (select id from old))
    delete from engines using old where engines.id = old.id returning engines.id`.execute(db)
  return rows.length
}
