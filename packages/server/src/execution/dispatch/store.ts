// SQL of the queue: what waits, who is idle, and giving one to the other.
import { taskStatus } from '@millrace/contract/task-status'
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { prepared } from '#platform/db/prepared.ts'
import { columnsOf } from '#platform/db/spelled-columns.ts'
import { assignStatement, isOnEngine, isQueuedOfAnyKind, newTaskStatement, type SentTask } from '../tasks/service.ts'
import { byPreference, hasResources, isInReach, lackOf, takesWork, workerNumber } from './fragments.ts'
import type { IdleWorker, WaitingTask } from './matching.ts'
import type { Holding } from './shares.ts'

const queued = sql.lit(taskStatus.queued)
const dispatched = sql.lit(taskStatus.dispatched)

export type IdleRow = Omit<IdleWorker, 'label'> & { engine_name: string; public_key: string; number: number }

/** Worker `w` was used after `since`, and has the process that it was used for. */
const isKept = (since: string) =>
  sql`e.infra = 'cloud' and w.warm_apps <> '{}' and (w.status <> 'idle' or w.idle_since > ${since}::timestamptz)`

/** Idle workers of connected engines that take work. Those used after `keptSince` are kept for their user. */
const idleWorkers = (keptSince: string) => sql`
  select w.id, w.engine_id, w.index, w.gpu_count, w.gpu_type, w.gpu_vram, w.ram, w.warm_apps, w.idle_since,
    w.active_session_id, case when ${isKept(keptSince)} then w.warm_team_id end as kept_for, e.name as engine_name, e.infra,
    e.team_id as engine_team_id, e.public_key
  from workers w join engines e on e.id = w.engine_id
  where ${takesWork}`

/** Those workers again as `w` and `e`, for the fragments. */
const idleAgain = sql`idle w cross join lateral (select w.infra, w.engine_team_id as team_id) e`

/** Who uses the shared workers or did after `keptSince`; sessions have theirs to themselves. */
export const findHoldings = async (db: Db, keptSince: string): Promise<Holding[]> => {
  const { rows } = await sql<Holding>`
    select case when ${isKept(keptSince)} then w.warm_team_id end as team_id, w.gpu_count > 0 as has_gpu,
      count(*)::int as workers
    from workers w join engines e on e.id = w.engine_id
    where e.infra = 'cloud' and w.status <> 'inactive' and w.deleted_at is null and w.active_session_id is null
      and e.status = 'running' and e.connected and e.deleted_at is null
    group by 1, 2`.execute(db)
  return rows
}

const kindColumns = sql`team_id, queue_kind, available_at, infra, gpu_count, gpu_type, gpu_vram, ram, session_id`

/**
 * The first task of every kind that waits, workspace by workspace: the index is asked once per kind, however many tasks
 * there are of it. Used as `with recursive kinds as (…)`.
 */
const kinds = sql`
  (select ${kindColumns} from tasks where status = ${queued} and deleted_at is null
    order by team_id, queue_kind, available_at limit 1)
  union all
  select next.* from kinds cross join lateral (
    select ${kindColumns} from tasks
    where status = ${queued} and deleted_at is null and (team_id, queue_kind) > (kinds.team_id, kinds.queue_kind)
    order by team_id, queue_kind, available_at limit 1) next`

/** A task that stands for a flow, or for an agent in one, is under way on no engine: what holds a slot are the tasks inside. */
const holdsSlot = sql`${isOnEngine} and tasks.engine_id is not null`

/** Some worker without a lease could take tasks of kind `t` now. */
const isTakenByIdle = sql`exists (select 1 from ${idleAgain}
  where w.active_session_id is null and ${hasResources} and ${isInReach})`

/** Worker `w` is the one that the session `s` of task `t` has, or may become it. */
const isSessions = sql`case when s.worker_id is not null then w.id = s.worker_id
  else (w.active_session_id is null or w.active_session_id = t.session_id) and ${isInReach} end`

/** How many tasks are given away at a time. Spelled out in the statement: then the planner walks the index in its order. */
export const batchSize = 64
/** How many are read where few workers are idle, as mostly. */
export const fewTasks = 8

/** What a look at the queue finds. Workers are told where there are tasks for them. */
type Queue = {
  /** In turns of their workspaces. */
  tasks: (WaitingTask & { turn: number })[]
  /** Idle longest first. */
  workers: IdleRow[]
  is_any_idle: boolean
  is_any_waiting: boolean
}

/**
 * Tasks that some idle worker could take, in turns of their workspaces: a workspace's next task waits behind as many of every
 * other one's as it has running and waiting before it, so that nobody's flood is another's wait. Which worker gets which is
 * decided by matching.ts. Everything a look has to know is one answer: while work waits, this is asked for every task that ends.
 */
const queue = (size: number) =>
  prepared(
    (_db, now: string, keptSince: string, fullTeams: readonly string[]) => sql<Queue>`
    with recursive kinds as (${kinds}),
    idle as materialized (${idleWorkers(keptSince)}),
    due as materialized (
      select t.team_id, t.queue_kind from kinds t
      where t.available_at <= ${now}::timestamptz and t.team_id <> all(${fullTeams}::text[])
        -- Asked once: without any worker to give work to, nothing is looked at.
        and exists (select 1 from idle)
        and (t.session_id is not null or ${isTakenByIdle})),
    waiting as (
      select q.* from due cross join lateral (
        select t.id, t.team_id, t.app_id, t.app_version_id, t.infra, t.workers, t.warm_key, t.session_id, t.available_at,
          t.created_at, t.gpu_count, t.gpu_type, t.gpu_vram, t.ram, s.worker_id as session_worker_id
        from tasks t left join app_sessions s on s.id = t.session_id
        where t.status = ${queued} and t.deleted_at is null and t.team_id = due.team_id and t.queue_kind = due.queue_kind
          and t.available_at <= ${now}::timestamptz
          and (t.session_id is null or (s.status = 'active' and exists (
            select 1 from ${idleAgain} where ${hasResources} and ${isSessions})))
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
      coalesce((select json_agg(told order by idle_since nulls first, id) from (
        select w.*, ${workerNumber} as number from idle w where exists (select 1 from found)) told), '[]') as workers,
      exists (select 1 from idle) as is_any_idle,
      exists (select 1 from found) or exists (${waitingTasks(now)}) as is_any_waiting`,
  )

const fewOfQueue = queue(fewTasks)
const batchOfQueue = queue(batchSize)

export type Looking = {
  now: string
  keptSince: string
  /** Workspaces whose slots are taken. */
  fullTeams: readonly string[]
  size: typeof fewTasks | typeof batchSize
}

export const findQueue = async (db: Db, { now, keptSince, fullTeams, size }: Looking): Promise<Queue> => {
  const [found] = await (size === fewTasks ? fewOfQueue : batchOfQueue)(db, now, keptSince, fullTeams)
  if (!found) throw new Error('a look at the queue answered nothing')
  return found
}

/**
 * The session that is idle longest among those whose workers are all that waiting tasks could go to: every fitting worker is
 * leased, and none of them will come back to the others by ending its task.
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

export const waitingTasks = (now: string) =>
  sql`select 1 from tasks where ${isQueuedOfAnyKind} and available_at <= ${now}::timestamptz`

/** Gives each task to its worker, where the task still waits and the worker is still free; the rest is left alone. */
export const assignTasks = assignStatement(takesWork)

/** Worker `w` could also take tasks of the waiting kind `k`; sessions' tasks are nobody's to judge here. */
const isForKind = sql`exists (select 1 from (select k.*) t where t.session_id is not null or (${hasResources} and ${isInReach}))`

/** Writes a task. The best worker for it gets it at once when it is set up for exactly this and nobody is overtaken. */
export const insertTask = newTaskStatement({
  kinds,
  best: sql`
    select w.id as worker_id, w.engine_id, e.public_key, t.warm_key = any(w.warm_apps) as warm
    from t, workers w join engines e on e.id = w.engine_id
    where ${takesWork} and w.active_session_id is null and ${hasResources} and ${isInReach}
      and not exists (select 1 from kinds k where k.available_at <= t.created_at and ${isForKind})
    order by ${byPreference} limit 1 for update of w skip locked`,
  lackOf,
})

/** Sent to this engine, and it has not said that it has them. */
export const findUnaccepted = async (db: Db, engineId: string): Promise<(SentTask & { public_key: string })[]> => {
  const { rows } = await sql<SentTask & { public_key: string }>`
    select ${columnsOf('tasks', 't')}, e.public_key, coalesce(a.namespace || '/' || a.name, '') as app_name
    from tasks t join engines e on e.id = t.engine_id left join apps a on a.id = t.app_id
    where t.engine_id = ${engineId} and t.status = ${dispatched} and t.accepted_at is null`.execute(db)
  return rows
}

/** Engines of this server that have neither taken nor refused a task they were sent a while ago. */
export const findEnginesNotAnswering = async (db: Db, serverId: string, before: string): Promise<{ id: string }[]> => {
  const { rows } = await sql<{ id: string }>`
    select distinct e.id from tasks t join engines e on e.id = t.engine_id
    where e.connected and e.server_id = ${serverId} and t.status = ${dispatched} and t.accepted_at is null
      and t.updated_at < ${before}::timestamptz`.execute(db)
  return rows
}

/** How many tasks of each team hold a slot. */
export const countRunning = async (db: Db, teamIds: readonly string[]): Promise<Map<string, number>> => {
  const { rows } = await sql<{ team_id: string; running: number }>`
    select team_id, count(*) as running from tasks
    where team_id = any(${teamIds}::text[]) and ${holdsSlot} group by team_id`.execute(db)
  return new Map(rows.map((row) => [row.team_id, row.running]))
}
