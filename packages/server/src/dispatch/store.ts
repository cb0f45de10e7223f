// SQL of the queue: what waits, who is idle, and giving one to the other.
import { taskStatus } from '@millrace/contract/task-status'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { prepared } from '../db/prepared.ts'
import { assignStatement, newTaskStatement, type SentTask } from '../tasks/service.ts'
import { byPreference, hasResources, isInReach, isReachable, takesWork, workerNumber } from './fragments.ts'
import type { IdleWorker, WaitingTask } from './matching.ts'

const queued = sql.lit(taskStatus.queued)
const dispatched = sql.lit(taskStatus.dispatched)

export type IdleRow = Omit<IdleWorker, 'label'> & { engine_name: string; public_key: string; number: number }

/** Idle workers of connected engines that take work, idle longest first. */
export const findIdleWorkers = prepared(
  () => sql<IdleRow>`
    select w.id, w.engine_id, w.gpu_count, w.gpu_type, w.gpu_vram, w.ram, w.warm_apps, w.active_session_id,
      e.name as engine_name, e.infra, e.team_id as engine_team_id, e.public_key, ${workerNumber} as number
    from workers w join engines e on e.id = w.engine_id
    where ${takesWork} order by w.idle_since nulls first, w.id`,
)

/**
 * The longest waiting tasks that some idle worker could take, so that work nobody can do now does not hide what can be
 * done. Which worker gets which is decided by matching.ts.
 */
export const findQueuedTasks = prepared(
  (_db, now: string, limit: number, fullTeams: readonly string[]) => sql<WaitingTask>`
    select t.id, t.team_id, t.app_id, t.app_version_id, t.infra, t.workers, t.warm_key, t.session_id,
      t.gpu_count, t.gpu_type, t.gpu_vram, t.ram, s.worker_id as session_worker_id
    from tasks t left join app_sessions s on s.id = t.session_id
    where t.status = ${queued} and t.deleted_at is null and t.available_at <= ${now}::timestamptz
      and t.team_id <> all(${fullTeams}::text[]) and (t.session_id is null or s.status = 'active')
      -- Asked once: without any worker to give work to, a long queue is not walked through.
      and exists (select 1 from workers w join engines e on e.id = w.engine_id where ${takesWork})
      and exists (select 1 from workers w join engines e on e.id = w.engine_id where ${takesWork}
        and ${hasResources}
        and case when s.worker_id is not null then w.id = s.worker_id
          else (w.active_session_id is null or w.active_session_id = t.session_id) and ${isInReach} end)
    order by t.available_at, t.created_at limit ${limit}`,
)

const waiting = prepared(
  (_db, now: string) => sql<{ any: boolean }>`
    select exists (select 1 from tasks where status = ${queued} and deleted_at is null and available_at <= ${now}::timestamptz) as any`,
)

export const isAnythingWaiting = async (db: Db, now: string): Promise<boolean> => {
  const [found] = await waiting(db, now)
  return found?.any ?? true
}

/** Gives each task to its worker, where the task still waits and the worker is still free; the rest is left alone. */
export const assignTasks = assignStatement(takesWork)

/** Writes a task. The best worker for it gets it at once when it is set up for exactly this and nobody is overtaken. */
export const insertTask = newTaskStatement({
  best: sql`
    select w.id as worker_id, w.engine_id, e.public_key, t.warm_key = any(w.warm_apps) as warm
    from t, workers w join engines e on e.id = w.engine_id
    where ${takesWork} and w.active_session_id is null and ${hasResources} and ${isInReach}
      and not exists (select 1 from tasks q where q.status = ${queued} and q.deleted_at is null and q.available_at <= t.created_at)
    order by ${byPreference} limit 1 for update of w skip locked`,
  isReachable,
})

/** Sent to this engine, and it has not said that it has them. */
export const findUnaccepted = async (db: Db, engineId: string): Promise<(SentTask & { public_key: string })[]> => {
  const { rows } = await sql<SentTask & { public_key: string }>`
    select t.*, e.public_key, coalesce(a.namespace || '/' || a.name, '') as app_name
    from tasks t join engines e on e.id = t.engine_id left join apps a on a.id = t.app_id
    where t.engine_id = ${engineId} and t.status = ${dispatched} and t.accepted_at is null`.execute(db)
  return rows
}
