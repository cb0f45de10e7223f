// SQL of tasks, except for status changes, which are in move-store.ts, and inserts, which are in new-task-store.ts.
import { isShortId } from '@millrace/contract/ids'
import { taskStatus } from '@millrace/contract/task-status'
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import { prepared, shortRead } from '#platform/db/prepared.ts'
import { teamOrg } from '#platform/tenancy/visibility.ts'
import { isCancelling, isFenced, isOnEngine, isQueued } from './fragments.ts'
import type { Fence, TaskRow } from './row.ts'
import { storableJson } from './storable.ts'

export const findTask = (db: Db, id: string): Promise<(TaskRow & { team_org_id: string | null }) | undefined> =>
  db
    .selectFrom('tasks')
    .selectAll('tasks')
    .select(teamOrg('tasks'))
    .where(idMatches('tasks.id', id))
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()

const selectStatuses = (db: Db) =>
  db
    .selectFrom('tasks')
    .select(['id', 'team_id', 'user_id', 'visibility', 'status', 'cost', 'updated_at', teamOrg('tasks')])
    .where('deleted_at', 'is', null)

const statusOfId = shortRead((db, id: string) => selectStatuses(db).where('id', '=', id).limit(1))

/** The status of a task for pollers: without input and output, which may be megabytes. */
export const findStatus = async (db: Db, id: string) =>
  isShortId(id)
    ? selectStatuses(db).where(idMatches('tasks.id', id)).limit(1).executeTakeFirst()
    : (await statusOfId(db, id))[0]

export type LogRow = { log_type: number; content: string; created_at: string; updated_at: string }

export const logsOfTask = sql<LogRow[]>`coalesce((select json_agg(l order by l.log_type) from (
  select log_type, string_agg(content, '' order by seq) as content, min(created_at) as created_at, max(created_at) as updated_at
  from task_log_chunks where task_id = tasks.id group by log_type) l), '[]')`

/** The contents of a task's stream. Prepared, because every run and every end executes it. */
export const findTaskWithLogs = prepared((db, id: string) =>
  db
    .selectFrom('tasks')
    .selectAll('tasks')
    .select([logsOfTask.as('logs'), teamOrg('tasks')])
    .where('id', '=', id)
    .where('deleted_at', 'is', null),
)

export const lockTask = (db: Db, id: string): Promise<TaskRow | undefined> =>
  db.selectFrom('tasks').selectAll().where('id', '=', id).forUpdate().limit(1).executeTakeFirst()

/** Undefined when the task is not queued, or no longer queued after waiting for the lock. */
export const lockQueuedTask = (db: Db, id: string): Promise<TaskRow | undefined> =>
  db.selectFrom('tasks').selectAll().where('id', '=', id).where(isQueued).forUpdate().limit(1).executeTakeFirst()

/** The flow run that a task represents; null for a task that an engine runs. */
export const subFlowRunOf = async (db: Db, id: string): Promise<string | null> => {
  const row = await db.selectFrom('tasks').select('sub_flow_run_id').where('id', '=', id).limit(1).executeTakeFirst()
  return row?.sub_flow_run_id ?? null
}

/** From this point the task represents this flow run. */
export const setSubFlowRun = (db: Db, id: string, flowRunId: string): Promise<TaskRow> =>
  db
    .updateTable('tasks')
    .set({ sub_flow_run_id: flowRunId })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** Sets the chat behind a task that represents a run in it. */
export const setChat = async (db: Db, id: string, chatId: string): Promise<void> => {
  await db.updateTable('tasks').set({ chat_id: chatId }).where('id', '=', id).execute()
}

export const setOutput = async (db: Db, id: string, fence: Fence, output: unknown, now: string) => {
  const { rows } = await sql<Pick<TaskRow, 'id' | 'event_seq' | 'flow_run_id'>>`
    update tasks set output = ${storableJson(output)}::jsonb, event_seq = event_seq + 1, updated_at = ${now}::timestamptz
    where id = ${id} and ${isFenced(fence)} and ${isOnEngine}
    returning id, event_seq, flow_run_id`.execute(db)
  return rows[0]
}

/** False when the task does not belong to this engine. */
export const markAccepted = async (db: Db, id: string, fence: Fence, now: string): Promise<boolean> => {
  const { rows } = await sql`
    with taken as (
      update tasks set accepted_at = coalesce(accepted_at, ${now}::timestamptz)
      where id = ${id} and ${isFenced(fence)} and ${isOnEngine}
      returning id, worker_id),
    busy as (
      update workers set status = 'busy', updated_at = ${now}::timestamptz from taken
      where workers.id = taken.worker_id and workers.task_id = taken.id and workers.status = 'reserved')
    select id from taken`.execute(db)
  return rows.length > 0
}

/** Whether the task belongs to this attempt and its status is in this range. */
export const hasTask = async (
  db: Db,
  id: string,
  fence: Fence,
  { from = 0, upTo }: { from?: number; upTo: number },
) => {
  const row = await db
    .selectFrom('tasks')
    .select('id')
    .where('id', '=', id)
    .where(isFenced(fence))
    .where('status', '>=', from)
    .where('status', '<=', upTo)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export const setCancelDeadline = async (db: Db, id: string, deadline: string): Promise<void> => {
  await db.updateTable('tasks').set({ cancel_deadline: deadline }).where('id', '=', id).execute()
}

/** Increments the sequence number for a change other than a status change. A task that has ended no longer changes. */
export const bumpSeq = (db: Db, id: string) =>
  db
    .updateTable('tasks')
    .set({ event_seq: sql`event_seq + 1` })
    .where('id', '=', id)
    .where('status', '<', taskStatus.completed)
    .returning(['id', 'event_seq', 'flow_run_id'])
    .executeTakeFirst()

/** False, without effect, when the task no longer belongs to this attempt. */
export const appendLog = async (
  db: Db,
  taskId: string,
  fence: Fence,
  logType: number,
  content: string,
): Promise<boolean> => {
  const { rows } = await sql<{ written: number }>`
    insert into task_log_chunks (task_id, log_type, content)
    select id, ${logType}::smallint, ${content} from tasks
    where id = ${taskId} and ${isFenced(fence)} and ${isOnEngine}
    returning 1 as written`.execute(db)
  return rows.length > 0
}

export const logSize = async (db: Db, taskId: string, logType: number): Promise<number> => {
  const row = await db
    .selectFrom('task_log_chunks')
    .select(sql<number>`coalesce(sum(length(content)), 0)`.as('size'))
    .where('task_id', '=', taskId)
    .where('log_type', '=', logType)
    .executeTakeFirstOrThrow()
  return row.size
}

export const readLogs = (db: Db, taskId: string) =>
  db
    .selectFrom('task_log_chunks')
    .select([
      'log_type',
      sql<string>`string_agg(content, '' order by seq)`.as('content'),
      sql<string>`min(created_at)`.as('created_at'),
      sql<string>`max(created_at)`.as('updated_at'),
    ])
    .where('task_id', '=', taskId)
    .groupBy('log_type')
    .orderBy('log_type')
    .execute()

/** The engine that a task ran on and, if it still exists, the worker. */
export const findMachine = (db: Db, engineId: string, workerId: string | null) =>
  db
    .selectFrom('engines as e')
    .leftJoin('workers as w', (join) => join.onRef('w.engine_id', '=', 'e.id').on('w.id', '=', workerId ?? ''))
    .select([
      'e.id as engine_id',
      'e.name as engine_name',
      'e.status as engine_status',
      'e.user_id as engine_user_id',
      'e.team_id as engine_team_id',
      'e.visibility as engine_visibility',
      'e.created_at as engine_created_at',
      'e.updated_at as engine_updated_at',
      'e.infra',
      'w.id as worker_id',
      'w.index',
      'w.user_id',
      'w.team_id',
      'w.status',
      'w.task_id',
      'w.app_id',
      'w.app_version_id',
      'w.active_session_id',
      'w.gpus',
      'w.cpus',
      'w.rams',
    ])
    .where('e.id', '=', engineId)
    .limit(1)
    .executeTakeFirst()

export type Machine = NonNullable<Awaited<ReturnType<typeof findMachine>>>

export const softDelete = async (db: Db, id: string, now: string): Promise<void> => {
  await db.updateTable('tasks').set({ deleted_at: now }).where('id', '=', id).execute()
}

/** The next sequence number. A task that has ended keeps its number. */
const nextSeq = sql<number>`event_seq + (status < ${taskStatus.completed})::int`

export const setVisibility = (db: Db, id: string, visibility: string, now: string) =>
  db
    .updateTable('tasks')
    .set({ visibility, updated_at: now, event_seq: nextSeq })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

/**
 * Locks the live tasks of chats in a fixed order. Tasks that represent a chat in a flow are excluded: they end under
 * the lock of their chat, and the other tasks are locked before the chat.
 */
export const lockLiveOfChats = async (db: Db, chatIds: readonly string[]): Promise<void> => {
  await db
    .selectFrom('tasks')
    .select('id')
    .where('chat_id', 'in', [...chatIds])
    .where('status', '<', taskStatus.completed)
    .where('flow_run_id', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** Sets the visibility of the tasks of these chats whose visibility is one of `from`. */
export const narrowOfChats = (
  db: Db,
  chatIds: readonly string[],
  { from, to, now }: { from: readonly string[]; to: string; now: string },
) =>
  db
    .updateTable('tasks')
    .set({ visibility: to, updated_at: now, event_seq: nextSeq })
    .where('chat_id', 'in', [...chatIds])
    .where('visibility', 'in', [...from])
    .returning(['id', 'status', 'event_seq'])
    .execute()

export const setFeatured = (db: Db, id: string, isFeatured: boolean, now: string) =>
  db
    .updateTable('tasks')
    .set({ is_featured: isFeatured, updated_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

export const overdueCancels = (db: Db, now: string) =>
  db
    .selectFrom('tasks')
    .select(['id', 'engine_id', 'attempt'])
    .where(isCancelling)
    .where('cancel_deadline', '<=', now)
    .limit(200)

/** Base query of the lists. */
export const selectTasks = (db: Db) => db.selectFrom('tasks').selectAll('tasks').where('tasks.deleted_at', 'is', null)

export const selectFeatured = (db: Db) =>
  selectTasks(db).where('tasks.is_featured', '=', true).where('tasks.visibility', '=', 'public')

export const listAssignments = (db: Db, ids: readonly string[]) =>
  db.selectFrom('tasks').select(['id', 'status', 'worker_id', 'engine_id']).where('id', 'in', ids).execute()
