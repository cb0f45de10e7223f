// SQL of the queue: queued tasks, idle workers and assignments.
import { taskStatus } from '@millrace/contract/task-status'
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { prepared } from '#platform/db/prepared.ts'
import { columnsOf } from '#platform/db/spelled-columns.ts'
import { assignStatement, isOnEngine, isQueuedOfAnyKind, newTaskStatement, type SentTask } from '../tasks/service.ts'
import type { WorkerUse } from './fair-share.ts'
import {
  byPreference,
  gpuRoomOf,
  hasResources,
  hasRoom,
  isInReach,
  takesWork,
  unmetRequirementOf,
  workerNumber,
} from './fragments.ts'
import { sharedLimits } from './last-worker-store.ts'
import type { IdleWorker, QueuedTask } from './matching.ts'

const queued = sql.lit(taskStatus.queued)
const dispatched = sql.lit(taskStatus.dispatched)

export type IdleRow = Omit<IdleWorker, 'label'> & { engine_name: string; public_key: string; number: number }

/** Worker `w` was used after `since` and still has the process. */
const isReserved = (since: string) =>
  sql`e.infra = 'cloud' and w.warm_apps <> '{}' and (w.status <> 'idle' or w.idle_since > ${since}::timestamptz)`

/** Idle workers of connected engines. Workers used after `reservedSince` are reserved for their workspace. */
const idleWorkers = (reservedSince: string) => sql`
  select w.id, w.engine_id, w.index, w.gpu_count, w.gpu_type, w.gpu_vram, w.shared_gpus, ${gpuRoomOf} as gpu_room, w.ram, w.warm_apps, w.idle_since,
    w.active_session_id, case when ${isReserved(reservedSince)} then w.warm_team_id end as reserved_for, e.name as engine_name, e.infra,
    e.team_id as engine_team_id, e.user_id as engine_user_id, e.visibility as engine_visibility, e.public_key
  from workers w join engines e on e.id = w.engine_id
  where ${takesWork}`

/** The idle workers as `w` and `e`, as the fragments expect. */
const idleAsWorkers = sql`idle w cross join lateral (
  select w.infra, w.engine_team_id as team_id, w.engine_user_id as user_id, w.engine_visibility as visibility) e`

/**
 * The number of shared workers per workspace that uses them or did after `reservedSince`. Workers of sessions are excluded.
 */
export const findWorkerUse = async (db: Db, reservedSince: string): Promise<WorkerUse[]> => {
  const { rows } = await sql<WorkerUse>`
    select case when ${isReserved(reservedSince)} then w.warm_team_id end as team_id, w.gpu_count > 0 as has_gpu,
      count(*)::int as workers
    from workers w join engines e on e.id = w.engine_id
    where e.infra = 'cloud' and w.status <> 'inactive' and w.deleted_at is null and w.active_session_id is null
      and e.status = 'running' and e.connected and e.deleted_at is null
    group by 1, 2`.execute(db)
  return rows
}

const kindColumns = sql`team_id, user_id, queue_kind, available_at, infra, gpu_count, gpu_type, gpu_vram, ram, session_id`

/**
 * The first queued task of every kind, per workspace: one index lookup per kind, however many tasks it has. Used as
 * `with recursive kinds as (…)`.
 */
const kinds = sql`
  (select ${kindColumns} from tasks where status = ${queued} and deleted_at is null
    order by team_id, queue_kind, available_at limit 1)
  union all
  select next.* from kinds cross join lateral (
    select ${kindColumns} from tasks
    where status = ${queued} and deleted_at is null and (team_id, queue_kind) > (kinds.team_id, kinds.queue_kind)
    order by team_id, queue_kind, available_at limit 1) next`

/** A task that represents a flow or an agent runs on no engine and holds no slot; the tasks inside it do. */
const holdsSlot = sql`${isOnEngine} and tasks.engine_id is not null`

const hasRoomNow = hasRoom(sql`w.gpu_room`)

/** Some idle worker without a lease could run tasks of kind `t` now. */
const isRunnableByIdle = sql`exists (select 1 from ${idleAsWorkers}
  where w.active_session_id is null and ${hasResources} and ${hasRoomNow} and ${isInReach})`

/** Worker `w` belongs to session `s` of task `t`, or may become its worker. */
const isSessionWorker = sql`case when s.worker_id is not null then w.id = s.worker_id
  else (w.active_session_id is null or w.active_session_id = t.session_id) and ${isInReach} end`

/** The maximum number of tasks per assignment. A literal in the statement lets the planner read the index in order. */
export const batchSize = 64
/** The number of tasks to read while few workers are idle, the common case. */
export const fewTasks = 8

/** The result of a queue query. Workers are only listed if there are tasks for them. */
type Queue = {
  /** In fair order of their workspaces. */
  tasks: (QueuedTask & { turn: number })[]
  /** Longest idle first. */
  workers: IdleRow[]
  is_any_idle: boolean
  is_any_queued: boolean
}

/**
 * Tasks that some idle worker could run, in fair order: the turn of a workspace's next task is the number of its
 * running and earlier queued tasks, so one busy workspace cannot delay others. matching.ts assigns the workers. One
 * statement answers everything, because it runs for every task that ends while others are queued.
 */
const queue = (size: number) =>
  prepared(
    (_db, now: string, reservedSince: string, fullTeams: readonly string[]) => sql<Queue>`
    with recursive kinds as (${kinds}),
    idle as materialized (${idleWorkers(reservedSince)}),
    due as materialized (
      select t.team_id, t.queue_kind from kinds t
      where t.available_at <= ${now}::timestamptz and t.team_id <> all(${fullTeams}::text[])
        -- Asked once: without any worker to give work to, nothing is looked at.
        and exists (select 1 from idle)
        and (t.session_id is not null or ${isRunnableByIdle})),
    waiting as (
      select q.* from due cross join lateral (
        select t.id, t.team_id, t.user_id, t.app_id, t.app_version_id, t.infra, t.workers, t.warm_key, t.session_id, t.available_at,
          t.created_at, t.gpu_count, t.gpu_type, t.gpu_vram, t.ram, s.worker_id as session_worker_id
        from tasks t left join app_sessions s on s.id = t.session_id
        where t.status = ${queued} and t.deleted_at is null and t.team_id = due.team_id and t.queue_kind = due.queue_kind
          and t.available_at <= ${now}::timestamptz
          and (t.session_id is null or (s.status = 'active' and exists (
            select 1 from ${idleAsWorkers} where ${hasResources} and ${isSessionWorker})))
        order by t.available_at, t.created_at limit ${sql.lit(size)}) q),
    busy as (
      select team_id, count(*) as running from tasks
      where ${holdsSlot} and team_id in (select team_id from due) group by team_id),
    found as materialized (
      select waiting.*, row_number() over (partition by waiting.team_id order by waiting.available_at, waiting.created_at)
          + coalesce(busy.running, 0) as turn
      from waiting left join busy on busy.team_id = waiting.team_id
      order by turn, waiting.available_at, waiting.created_at limit ${sql.lit(size)})
    select coalesce((select json_agg(found order by turn, available_at, created_at) from found), '[]') as tasks,
      coalesce((select json_agg(listed order by idle_since nulls first, id) from (
        select w.*, ${workerNumber} as number from idle w where exists (select 1 from found)) listed), '[]') as workers,
      exists (select 1 from idle) as is_any_idle,
      exists (select 1 from found) or exists (${queuedTasks(now)}) as is_any_queued`,
  )

const fewOfQueue = queue(fewTasks)
const batchOfQueue = queue(batchSize)

export type QueueQuery = {
  now: string
  reservedSince: string
  /** Workspaces at their concurrency limit. */
  fullTeams: readonly string[]
  size: typeof fewTasks | typeof batchSize
}

export const findQueue = async (db: Db, { now, reservedSince, fullTeams, size }: QueueQuery): Promise<Queue> => {
  const [found] = await (size === fewTasks ? fewOfQueue : batchOfQueue)(db, now, reservedSince, fullTeams)
  if (!found) throw new Error('The queue query returned no row')
  return found
}

/**
 * The session that has been idle longest among those whose workers are the only ones for some queued task: every
 * suitable worker is leased, so none becomes available when its current task ends.
 */
const yieldingSession = prepared(
  (_db, now: string) => sql<{ id: string }>`
    with recursive kinds as (${kinds}),
    stuck as (
      select t.* from kinds t
      where t.available_at <= ${now}::timestamptz and not exists (
        select 1 from workers w join engines e on e.id = w.engine_id
        where w.deleted_at is null and w.status <> 'inactive' and e.connected and e.deleted_at is null
          and w.active_session_id is null and ${hasResources} and ${isInReach}))
    select s.id from stuck t join workers w on ${hasResources} join engines e on e.id = w.engine_id
      join app_sessions s on s.id = w.active_session_id
    where ${takesWork} and ${isInReach} and s.status = 'active' and s.expires_at is not null
    order by s.last_call_at limit 1`,
)

export const findYieldingSession = async (db: Db, now: string): Promise<{ id: string } | undefined> => {
  const [session] = await yieldingSession(db, now)
  return session
}

export const queuedTasks = (now: string) =>
  sql`select 1 from tasks where ${isQueuedOfAnyKind} and available_at <= ${now}::timestamptz`

/** Assigns each task to its worker if the task is still queued and the worker still idle; skips the others. */
export const assignTasks = assignStatement(takesWork)

/**
 * Worker `w` could also run tasks of the queued kind `k`. Tasks of sessions always count, because their worker is not
 * known here.
 */
const isForKind = sql`exists (select 1 from (select k.*) t where t.session_id is not null or (${hasResources} and ${isInReach}))`

/**
 * Writes tasks of one placement key. If the best workers are warm for exactly this setup and no queued task is
 * overtaken, they get the tasks immediately.
 */
export const insertPlacedTasks = newTaskStatement({
  kinds,
  best: (limit) => sql`
    select w.id as worker_id, w.engine_id, e.public_key, t.warm_key = any(w.warm_apps) as warm,
      e.infra = 'cloud' as is_shared, w.gpu_count > 0 as has_gpu
    from workers w join engines e on e.id = w.engine_id
    where ${takesWork} and w.active_session_id is null and ${hasResources} and ${hasRoom(gpuRoomOf)} and ${isInReach}
      and not exists (select 1 from kinds k where k.available_at <= t.created_at and ${isForKind})
    order by ${byPreference} limit ${limit} for update of w skip locked`,
  limits: sharedLimits,
  unmetRequirementOf,
})

/** Tasks sent to this engine that it has not acknowledged. */
export const findUnaccepted = async (db: Db, engineId: string): Promise<(SentTask & { public_key: string })[]> => {
  const { rows } = await sql<SentTask & { public_key: string }>`
    select ${columnsOf('tasks', 't')}, e.public_key, coalesce(a.namespace || '/' || a.name, '') as app_name
    from tasks t join engines e on e.id = t.engine_id left join apps a on a.id = t.app_id
    where t.engine_id = ${engineId} and t.status = ${dispatched} and t.accepted_at is null`.execute(db)
  return rows
}

/** Engines of this server that have not acknowledged a task that was sent some time ago. */
export const findEnginesNotAnswering = async (db: Db, serverId: string, before: string): Promise<{ id: string }[]> => {
  const { rows } = await sql<{ id: string }>`
    select distinct e.id from tasks t join engines e on e.id = t.engine_id
    where e.connected and e.server_id = ${serverId} and t.status = ${dispatched} and t.accepted_at is null
      and t.updated_at < ${before}::timestamptz`.execute(db)
  return rows
}

/** The number of tasks per workspace that hold a slot. */
export const countRunning = async (db: Db, teamIds: readonly string[]): Promise<Map<string, number>> => {
  const { rows } = await sql<{ team_id: string; running: number }>`
    select team_id, count(*) as running from tasks
    where team_id = any(${teamIds}::text[]) and ${holdsSlot} group by team_id`.execute(db)
  return new Map(rows.map((row) => [row.team_id, row.running]))
}
