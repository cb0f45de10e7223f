// SQL of what is overdue: one question per clock of an engine, its workers and what waits for them. The rounds ask whether
// there is an answer, the sweep for the answers.
import { sql } from 'kysely'
import { isDispatched, isQueuedOfAnyKind, liveStatuses } from '#execution/tasks/service.ts'
import type { Db } from '#platform/db/database.ts'

/** How many tasks one round ends at most; the next round takes the rest. */
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

/** Workers of an engine that keeps reporting, but no longer them. */
export const missingWorkers = (since: string) =>
  sql<{ id: string }>`
    select w.id from workers w join engines e on e.id = w.engine_id
    where e.connected and w.deleted_at is null and w.status <> 'inactive'
      and e.last_seen_at > ${since}::timestamptz and w.last_seen_at <= ${since}::timestamptz`

export const enginesAwaySince = (db: Db, status: 'disconnected' | 'restarting', since: string) =>
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

/** Draining because somebody asked for it, and nothing is left to do. */
export const drainedEngines = sql<{ id: string; connected: boolean }>`
    select e.id, e.connected from engines e where e.status = 'draining' and not e.own_drain and e.deleted_at is null
      and not exists (select 1 from tasks t where t.engine_id = e.id and t.status between ${liveStatuses})`

/** Engines that were deleted before a time, with their workers, and workers that living ones no longer have. */
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
