// All SQL that changes the status of tasks; new rows are in new-task-store.ts. An update names the statuses that it may
// start from, and frames of an older attempt match no row. The dispatch feature decides which worker may take a task.
import { movesTo } from '@millrace/contract/task-status'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { prepared, preparedByName } from '#platform/db/prepared.ts'
import { columnsOf } from '#platform/db/spelled-columns.ts'
import { isFenced, isStillQueued, statusCode } from './fragments.ts'
import type { Fence, SentTask, StatusEvent, TaskRow } from './row.ts'
import { storableJson, storableText } from './storable.ts'
import { type LogRow, logsOfTask } from './store.ts'

export type Move = {
  id: string
  /** Null matches any attempt: decisions of the server itself. */
  fence: Fence | { readonly attempt: number } | null
  to: number
  /** All statuses passed on the way; the last one is `to`. */
  events: readonly StatusEvent[]
  now: string
  output?: unknown
  error?: string
  /** The largest GPU memory per card that was measured. */
  gpuMemoryPeak?: number
  /** Whether the result includes the task's logs. */
  withLogs?: boolean
}

export type MovedRow = TaskRow & { logs: LogRow[] | null }

/**
 * Undefined when the move is illegal from the current status, or when the task belongs to another attempt or engine by
 * now. The same statement updates the worker: busy once the task has started, idle once its function has returned or
 * the task has ended.
 */
export const moveTask = async (db: Db, move: Move): Promise<MovedRow | undefined> => {
  const [row] = await moveRow(db, {
    id: move.id,
    to: move.to,
    from: movesTo(move.to),
    attempt: move.fence?.attempt ?? null,
    engineId: move.fence && 'engineId' in move.fence ? move.fence.engineId : null,
    events: JSON.stringify(move.events),
    now: move.now,
    output: move.output === undefined ? null : storableJson(move.output),
    error: move.error === undefined ? null : storableText(move.error),
    gpuMemoryPeak: move.gpuMemoryPeak ?? null,
    withLogs: move.withLogs === true,
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
}

const moveRow = preparedByName(
  ['id', 'to', 'from', 'attempt', 'engineId', 'events', 'now', 'output', 'error', 'gpuMemoryPeak', 'withLogs'],
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
  }: MoveValues) => sql<MovedRow>`
    with moved as (
      update tasks set status = ${to}::smallint, event_seq = event_seq + 1, updated_at = ${now}::timestamptz,
        events = events || coalesce((select jsonb_agg(passed order by n) from jsonb_array_elements(${events}::jsonb)
          with ordinality as e (passed, n) where (passed ->> 'status')::int >= tasks.status), '[]'),
        output = coalesce(${output}::jsonb, output), error = coalesce(${error}, error),
        gpu_memory_peak = coalesce(${gpuMemoryPeak}::bigint, gpu_memory_peak),
        accepted_at = case when ${to}::smallint > ${statusCode('dispatched')} then coalesce(accepted_at, ${now}::timestamptz)
          else accepted_at end,
        finished_at = case when ${to}::smallint >= ${statusCode('completed')} then ${now}::timestamptz else finished_at end
      where id = ${id} and status = any(${from}::smallint[])
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
