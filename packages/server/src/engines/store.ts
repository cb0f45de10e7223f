// SQL of engines and their workers.
import { taskStatus } from '@millrace/contract/task-status'
import { type Selectable, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { idMatches } from '../db/ids.ts'
import { prepared } from '../db/prepared.ts'
import type { Database } from '../db/schema.gen.ts'
import { teamOrg } from '../db/visibility.ts'
import {
  hasResources,
  isInReach,
  isOnEngine,
  reservation,
  type SentTask,
  takesWork,
  workerNumber,
} from '../tasks/service.ts'
import type { WaitingTask } from './matching.ts'

export type EngineRow = Selectable<Database['engines']>
export type WorkerRow = Selectable<Database['workers']>

export const findEngine = (db: Db, id: string): Promise<(EngineRow & { team_org_id: string | null }) | undefined> =>
  db
    .selectFrom('engines')
    .selectAll('engines')
    .select(teamOrg('engines'))
    .where(idMatches('engines.id', id))
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()

export const lockEngine = (db: Db, id: string): Promise<EngineRow | undefined> =>
  db
    .selectFrom('engines')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .limit(1)
    .executeTakeFirst()

export const workersOf = (db: Db, engineIds: readonly string[]): Promise<WorkerRow[]> =>
  engineIds.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('workers')
        .selectAll()
        .where('engine_id', '=', sql<string>`any(${engineIds}::text[])`)
        .where('deleted_at', 'is', null)
        .orderBy('index')
        .execute()

export type IdleRow = WorkerRow & {
  engine_name: string
  infra: 'cloud' | 'private'
  engine_team_id: string
  public_key: string
  number: number
}

/** Idle workers of connected engines that take work, idle longest first. */
export const findIdleWorkers = prepared(
  () => sql<IdleRow>`
    select w.*, e.name as engine_name, e.infra, e.team_id as engine_team_id, e.public_key, ${workerNumber} as number
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
    where t.status = 2 and t.deleted_at is null and t.available_at <= ${now}::timestamptz
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
    select exists (select 1 from tasks where status = 2 and deleted_at is null and available_at <= ${now}::timestamptz) as any`,
)

export const isAnythingWaiting = async (db: Db, now: string): Promise<boolean> => {
  const [found] = await waiting(db, now)
  return found?.any ?? true
}

export type Assignment = { taskId: string; workerId: string; event: object }

/**
 * Gives each task to its worker, where the task still waits and the worker is still free; the rest is left alone. Task,
 * worker and session change together or not at all, so no two dispatchers give one worker two tasks.
 */
export const assignTasks = (db: Db, assignments: readonly Assignment[], now: string): Promise<SentTask[]> =>
  assignAll(
    db,
    assignments.map((one) => one.taskId),
    assignments.map((one) => one.workerId),
    assignments.map((one) => JSON.stringify([one.event])),
    now,
  )

const assignAll = prepared(
  (
    _db,
    taskIds: readonly string[],
    workerIds: readonly string[],
    events: readonly string[],
    now: string,
  ) => sql<SentTask>`
    with picked as (
      select t.id as task_id, t.session_id, w.id as worker_id, w.engine_id, a.event
      from unnest(${taskIds}::text[], ${workerIds}::text[], ${events}::jsonb[]) as a (task_id, worker_id, event)
        join tasks t on t.id = a.task_id and t.status = 2 and t.deleted_at is null
        join workers w on w.id = a.worker_id
        join engines e on e.id = w.engine_id
      where ${takesWork} for update of t, w skip locked),
    bound as (
      update app_sessions s set engine_id = p.engine_id, worker_id = p.worker_id from picked p
      where s.id = p.session_id and s.status = 'active' and (s.worker_id is null or s.worker_id = p.worker_id)
      returning s.id),
    sent as (
      update tasks set status = 3, attempt = attempt + 1, engine_id = p.engine_id, worker_id = p.worker_id, accepted_at = null,
        event_seq = event_seq + 1, updated_at = ${now}::timestamptz, events = events || p.event
      from picked p
      where tasks.id = p.task_id and (p.session_id is null or p.session_id in (select id from bound))
      returning tasks.*),
    reserved as (
      update workers set ${reservation('sent')}, updated_at = ${now}::timestamptz
      from sent where workers.id = sent.worker_id)
    select sent.*, coalesce(a.namespace || '/' || a.name, '') as app_name from sent left join apps a on a.id = sent.app_id`,
)

/** Sent to this engine, and it has not said that it has them. */
export const findUnaccepted = async (db: Db, engineId: string): Promise<(SentTask & { public_key: string })[]> => {
  const { rows } = await sql<SentTask & { public_key: string }>`
    select t.*, e.public_key, coalesce(a.namespace || '/' || a.name, '') as app_name
    from tasks t join engines e on e.id = t.engine_id left join apps a on a.id = t.app_id
    where t.engine_id = ${engineId} and t.status = 3 and t.accepted_at is null`.execute(db)
  return rows
}

export const retireWorkers = async (db: Db, workerIds: readonly string[], now: string): Promise<void> => {
  await db
    .updateTable('workers')
    .set({ status: 'inactive', task_id: null, active_session_id: null, warm_apps: [], updated_at: now })
    .where('id', '=', sql<string>`any(${workerIds}::text[])`)
    .execute()
}

/** A task that is uploading has left its worker and follows the engine alone. */
export const liveTasksOf = (db: Db, where: { engineId: string } | { workerIds: readonly string[] }) => {
  const query = db
    .selectFrom('tasks')
    .select(['id', 'attempt', 'status', 'worker_id', 'engine_id', 'accepted_at'])
    .where(isOnEngine)
  return 'engineId' in where
    ? query.where('engine_id', '=', where.engineId).execute()
    : query
        .where('status', '<', taskStatus.uploading)
        .where('worker_id', '=', sql<string>`any(${where.workerIds}::text[])`)
        .execute()
}
