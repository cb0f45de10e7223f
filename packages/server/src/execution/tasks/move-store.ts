// All SQL that changes the status of tasks; new rows are in new-task-store.ts. An update names the statuses that it may
// start from, and frames of an older attempt match no row. The dispatch feature decides which worker may take a task.
import { movesTo, taskStatus } from '@millrace/contract/task-status'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { prepared, preparedByName } from '#platform/db/prepared.ts'
import { columnsOf } from '#platform/db/spelled-columns.ts'
import { isFenced, isStillQueued, statusCode } from './fragments.ts'
import type { Fence, SentTask, StatusEvent, TaskRow } from './row.ts'
import { storableText } from './storable.ts'
import { type LogRow, logsOfTask } from './store.ts'

export type StatusMove = {
  id: string
  /** Null matches any attempt: decisions of the server itself. */
  fence: Fence | { readonly attempt: number } | null
  to: number
  /** All statuses passed on the way; the last one is `to`. */
  events: readonly StatusEvent[]
  now: string
  /** JSON text that PostgreSQL can store. */
  output?: string | undefined
  error?: string | undefined
  /** The largest GPU memory per card that was measured. */
  gpuMemoryPeak?: number | undefined
  /** Whether the result includes the task's logs. */
  withLogs?: boolean
}

export type MovedRow = TaskRow & { logs: LogRow[] | null }

/**
 * Undefined when the move is illegal from the current status, when the task belongs to another attempt or engine by
 * now, or when it is locked and `skipsLocked` is set. The same statement updates the worker: busy once the task has
 * started, idle once its function has returned or the task has ended.
 */
export const moveTask = async (
  db: Db,
  move: StatusMove,
  { skipsLocked = false }: { skipsLocked?: boolean } = {},
): Promise<MovedRow | undefined> => {
  const [row] = await moveRow(db, {
    id: move.id,
    to: move.to,
    from: movesTo(move.to),
    attempt: move.fence?.attempt ?? null,
    engineId: move.fence && 'engineId' in move.fence ? move.fence.engineId : null,
    events: JSON.stringify(move.events),
    now: move.now,
    output: move.output ?? null,
    error: move.error === undefined ? null : storableText(move.error),
    gpuMemoryPeak: move.gpuMemoryPeak ?? null,
    withLogs: move.withLogs === true,
    skipsLocked,
  })
  return row
}

type MoveValues = {
  id: string
  to: number
  from: readonly number[]
  attempt: number | null
  engineId: string | null
  events: string
  now: string
  output: string | null
  error: string | null
  gpuMemoryPeak: number | null
  withLogs: boolean
  skipsLocked: boolean
}

/** The columns of a task that change with its status. */
const changes = (to: RawBuilder<unknown>, now: RawBuilder<unknown>, events: RawBuilder<unknown>) => sql`
  status = ${to}, event_seq = tasks.event_seq + 1, updated_at = ${now},
  events = tasks.events || coalesce((select jsonb_agg(passed order by n) from jsonb_array_elements(${events})
    with ordinality as e (passed, n) where (passed ->> 'status')::int >= tasks.status), '[]'),
  accepted_at = case when ${to} > ${statusCode('dispatched')} then coalesce(tasks.accepted_at, ${now})
    else tasks.accepted_at end,
  finished_at = case when ${to} >= ${statusCode('completed')} then ${now} else tasks.finished_at end`

const moveRow = preparedByName(
  [
    'id',
    'to',
    'from',
    'attempt',
    'engineId',
    'events',
    'now',
    'output',
    'error',
    'gpuMemoryPeak',
    'withLogs',
    'skipsLocked',
  ],
  ({
    id,
    to,
    from,
    attempt,
    engineId,
    events,
    now,
    output,
    error,
    gpuMemoryPeak,
    withLogs,
    skipsLocked,
  }: MoveValues) => sql<MovedRow>`
    with available as materialized (
      select from tasks where ${skipsLocked}::boolean and id = ${id} for update skip locked),
    moved as (
      update tasks set ${changes(sql`${to}::smallint`, sql`${now}::timestamptz`, sql`${events}::jsonb`)},
        output = coalesce(${output}::jsonb, output), error = coalesce(${error}, error),
        gpu_memory_peak = coalesce(${gpuMemoryPeak}::bigint, gpu_memory_peak)
      where id = ${id} and status = any(${from}::smallint[])
        and (not ${skipsLocked}::boolean or exists (select from available))
        and (${attempt}::int is null or attempt = ${attempt}::int)
        and (${engineId}::text is null or engine_id = ${engineId}::text)
      returning ${columnsOf('tasks')}),
    busy as (
      update workers set status = 'busy', updated_at = ${now}::timestamptz from moved
      where workers.id = moved.worker_id and workers.task_id = moved.id and workers.status = 'reserved'
        and moved.status < ${statusCode('uploading')}),
    freed as (
      update workers set status = 'idle', task_id = null, idle_since = ${now}::timestamptz, updated_at = ${now}::timestamptz from moved
      where workers.id = moved.worker_id and workers.task_id = moved.id and workers.status in ('reserved', 'busy')
        and moved.status >= ${statusCode('uploading')})
    select tasks.*, case when ${withLogs}::boolean then ${logsOfTask} end as logs from moved tasks`,
)

/** Whether a task with status `from` may move to `to`. */
const isLegal = (from: RawBuilder<unknown>, to: RawBuilder<unknown>) => {
  const pairs = Object.values(taskStatus).flatMap((to) =>
    movesTo(to).map((from) => sql`(${sql.lit(from)}, ${sql.lit(to)})`),
  )
  return sql`(${from}, ${to}) in (${sql.join(pairs)})`
}

const moveRows = prepared(
  (_db, moves: string) => sql<MovedRow>`
    with given as materialized (
      select * from jsonb_to_recordset(${moves}::jsonb) as g (id text, "to" smallint, attempt integer, engine_id text,
        events jsonb, now timestamptz, output jsonb, error text, gpu_memory_peak bigint, with_logs boolean)),
    picked as materialized (
      select g.*, w.id as worker_id from given g join tasks t on t.id = g.id
        join workers w on w.id = t.worker_id and w.task_id = t.id
      where ${isLegal(sql`t.status`, sql`g."to"`)} and (g.attempt is null or t.attempt = g.attempt)
        and (g.engine_id is null or t.engine_id = g.engine_id)
      for update of t, w skip locked),
    moved as (
      update tasks set ${changes(sql`p."to"`, sql`p.now`, sql`p.events`)},
        output = coalesce(p.output, tasks.output), error = coalesce(p.error, tasks.error),
        gpu_memory_peak = coalesce(p.gpu_memory_peak, tasks.gpu_memory_peak)
      from picked p where tasks.id = p.id
      returning ${columnsOf('tasks')}, p.with_logs),
    released as (
      update workers set status = case when p."to" < ${statusCode('uploading')} then 'busy' else 'idle' end,
        task_id = case when p."to" < ${statusCode('uploading')} then workers.task_id end,
        idle_since = case when p."to" < ${statusCode('uploading')} then workers.idle_since else p.now end, updated_at = p.now
      from picked p where workers.id = p.worker_id and (workers.status = 'reserved'
        or (workers.status = 'busy' and p."to" >= ${statusCode('uploading')})))
    select tasks.*, case when with_logs then ${logsOfTask} end as logs from moved tasks`,
)

const asGiven = (move: StatusMove): string => {
  const { attempt = null } = move.fence ?? {}
  const engine_id = move.fence && 'engineId' in move.fence ? move.fence.engineId : null
  const error = move.error === undefined ? null : storableText(move.error)
  const values = {
    id: move.id,
    to: move.to,
    attempt,
    engine_id,
    events: move.events,
    now: move.now,
    error,
    gpu_memory_peak: move.gpuMemoryPeak,
  }
  const output = move.output === undefined ? '' : `,"output":${move.output}`
  return `${JSON.stringify({ ...values, with_logs: move.withLogs === true }).slice(0, -1)}${output}}`
}

/**
 * Moves tasks that are on their workers with one statement. A row that another transaction has locked is skipped, so a
 * group neither waits nor deadlocks; the result contains only the moved tasks.
 */
export const moveTasks = (db: Db, moves: readonly StatusMove[]): Promise<MovedRow[]> =>
  moveRows(db, `[${moves.map(asGiven).join(',')}]`)

/** Requeues a task that an engine rejected. `availableAt` delays the next dispatch. */
export const requeueTask = async (db: Db, id: string, fence: Fence, event: StatusEvent, availableAt: string) => {
  const { rows } = await sql<TaskRow>`
    update tasks set status = ${statusCode('queued')}, events = events || ${JSON.stringify([event])}::jsonb,
      event_seq = event_seq + 1, updated_at = ${event.event_time}::timestamptz, available_at = ${availableAt}::timestamptz,
      engine_id = null, worker_id = null
    where id = ${id} and ${isFenced(fence)} and status = ${statusCode('dispatched')}
    returning ${columnsOf('tasks')}`.execute(db)
  return rows[0]
}

/**
 * The columns of a worker that change when it receives the task of this table. The app of the task becomes the worker's
 * warm app.
 */
export const reservation = (task: string) => {
  const of = (column: string) => sql.ref(`${task}.${column}`)
  return sql`status = 'reserved', task_id = ${of('id')}, app_id = ${of('app_id')}, app_version_id = ${of('app_version_id')},
    active_session_id = coalesce(${of('session_id')}, workers.active_session_id),
    gpu_need = case when ${of('gpu_count')} = 0 then 0 else coalesce(nullif(${of('gpu_vram')}, 0), workers.gpu_vram) end,
    warm_apps = case when ${of('session_id')} is not null then '{}'
      -- A worker with a GPU keeps several apps warm; telemetry removes those that it has ended.
      when workers.gpu_count > 0 and workers.warm_team_id = ${of('team_id')}
        then array_append(array_remove(workers.warm_apps, ${of('warm_key')}), ${of('warm_key')})
      else array[${of('warm_key')}] end,
    warm_team_id = case when ${of('session_id')} is null then ${of('team_id')} end`
}

export type Assignment = { taskId: string; workerId: string; event: StatusEvent }

/**
 * Assigns each task to its worker if the task is still queued and worker `w` of engine `e` still accepts work. Task,
 * worker and session change together or not at all, so two dispatchers cannot give two tasks to one worker.
 */
export const assignStatement = (takesWork: RawBuilder<unknown>) => {
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
        join tasks t on t.id = a.task_id
        join workers w on w.id = a.worker_id
        join engines e on e.id = w.engine_id
      where ${isStillQueued} and ${takesWork} for update of t, w skip locked),
    bound as (
      update app_sessions s set engine_id = p.engine_id, worker_id = p.worker_id, expires_at = null from picked p
      where s.id = p.session_id and s.status = 'active' and (s.worker_id is null or s.worker_id = p.worker_id)
      returning s.id),
    sent as (
      update tasks set status = ${statusCode('dispatched')}, attempt = attempt + 1, engine_id = p.engine_id, worker_id = p.worker_id,
        accepted_at = null, event_seq = event_seq + 1, updated_at = ${now}::timestamptz, events = events || p.event
      from picked p
      where tasks.id = p.task_id and (p.session_id is null or p.session_id in (select id from bound))
      returning ${columnsOf('tasks')}),
    reserved as (
      update workers set ${reservation('sent')}, updated_at = ${now}::timestamptz
      from sent where workers.id = sent.worker_id)
    select sent.*, coalesce(a.namespace || '/' || a.name, '') as app_name from sent left join apps a on a.id = sent.app_id`,
  )
  return (db: Db, assignments: readonly Assignment[], now: string): Promise<SentTask[]> =>
    assignAll(
      db,
      assignments.map((one) => one.taskId),
      assignments.map((one) => one.workerId),
      assignments.map((one) => JSON.stringify([one.event])),
      now,
    )
}

/** Separates the task from its worker. */
export const releaseWorker = async (
  db: Db,
  taskId: string,
  status: 'idle' | 'busy' | 'inactive',
  now: string,
): Promise<void> => {
  await db
    .updateTable('workers')
    .set({ status, task_id: null, updated_at: now })
    .where('task_id', '=', taskId)
    .execute()
}
