// SQL of tasks. A status moves only by an update that names where it may come from; late frames of an older attempt
// match no row.
import { movesTo, taskStatus } from '@millrace/contract/task-status'
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Database } from '../db/schema.gen.ts'
import { teamOrg } from '../db/visibility.ts'

export type TaskRow = Selectable<Database['tasks']>

export type StatusEvent = { id: string; status: number; event_time: string }

export const insertTask = (db: Db, task: Insertable<Database['tasks']>): Promise<TaskRow> =>
  db.insertInto('tasks').values(task).returningAll().executeTakeFirstOrThrow()

export const findTask = (db: Db, id: string): Promise<(TaskRow & { team_org_id: string | null }) | undefined> =>
  db
    .selectFrom('tasks')
    .selectAll('tasks')
    .select(teamOrg('tasks'))
    .where((where) => (id.length === 8 ? where('id', 'like', `${id}%`) : where('id', '=', id)))
    .where('deleted_at', 'is', null)
    .executeTakeFirst()

export const lockTask = (db: Db, id: string): Promise<TaskRow | undefined> =>
  db.selectFrom('tasks').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

export type Move = {
  id: string
  /** Null moves whatever attempt is current: the server's own decisions. */
  attempt: number | null
  to: number
  /** Every status passed on the way, the last one being `to`. */
  events: readonly StatusEvent[]
  now: string
  output?: unknown
  error?: string
}

/** Undefined when the task is not where it could move from, or has another attempt by now. */
export const moveTask = async (db: Db, move: Move): Promise<TaskRow | undefined> => {
  const terminal = move.to >= taskStatus.completed
  const { rows } = await sql<TaskRow>`
    update tasks set status = ${move.to}, events = events || ${JSON.stringify(move.events)}::jsonb,
      event_seq = event_seq + 1, updated_at = ${move.now}::timestamptz,
      output = ${move.output === undefined ? sql.ref('output') : sql`${JSON.stringify(move.output)}::jsonb`},
      error = ${move.error === undefined ? sql.ref('error') : move.error},
      accepted_at = ${move.to > taskStatus.dispatched ? sql`coalesce(accepted_at, ${move.now}::timestamptz)` : sql.ref('accepted_at')},
      finished_at = ${terminal ? sql`${move.now}::timestamptz` : sql.ref('finished_at')}
    where id = ${move.id} and status = any(${movesTo(move.to)}::smallint[])
      and (${move.attempt}::int is null or attempt = ${move.attempt}::int)
    returning *`.execute(db)
  return rows[0]
}

export const setOutput = async (db: Db, id: string, attempt: number, output: unknown, now: string) => {
  const { rows } = await sql<Pick<TaskRow, 'id' | 'event_seq' | 'flow_run_id'>>`
    update tasks set output = ${JSON.stringify(output)}::jsonb, event_seq = event_seq + 1, updated_at = ${now}::timestamptz
    where id = ${id} and attempt = ${attempt} and status between ${taskStatus.dispatched} and ${taskStatus.uploading}
    returning id, event_seq, flow_run_id`.execute(db)
  return rows[0]
}

export const markAccepted = async (db: Db, id: string, attempt: number, now: string): Promise<void> => {
  await db
    .updateTable('tasks')
    .set({ accepted_at: now })
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .where('accepted_at', 'is', null)
    .execute()
}

/** Back to the queue after an engine's refusal; the worker that refused is left to others for a moment. */
export const requeue = async (db: Db, id: string, attempt: number, event: StatusEvent, availableAt: string) => {
  const { rows } = await sql<TaskRow>`
    update tasks set status = ${taskStatus.queued}, events = events || ${JSON.stringify([event])}::jsonb,
      event_seq = event_seq + 1, updated_at = ${event.event_time}::timestamptz, available_at = ${availableAt}::timestamptz,
      engine_id = null, worker_id = null
    where id = ${id} and attempt = ${attempt} and status = ${taskStatus.dispatched} returning *`.execute(db)
  return rows[0]
}

export const setCancelDeadline = async (db: Db, id: string, deadline: string): Promise<void> => {
  await db.updateTable('tasks').set({ cancel_deadline: deadline }).where('id', '=', id).execute()
}

export const bumpSeq = async (db: Db, id: string): Promise<number | undefined> => {
  const row = await db
    .updateTable('tasks')
    .set({ event_seq: sql`event_seq + 1` })
    .where('id', '=', id)
    .returning('event_seq')
    .executeTakeFirst()
  return row?.event_seq
}

export const appendLog = async (db: Db, taskId: string, logType: number, content: string): Promise<void> => {
  await db.insertInto('task_log_chunks').values({ task_id: taskId, log_type: logType, content }).execute()
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

export const softDelete = async (db: Db, id: string, now: string): Promise<void> => {
  await db.updateTable('tasks').set({ deleted_at: now }).where('id', '=', id).execute()
}

export const setVisibility = (db: Db, id: string, visibility: string, now: string) =>
  db
    .updateTable('tasks')
    .set({ visibility, updated_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

export const setFeatured = (db: Db, id: string, isFeatured: boolean, now: string) =>
  db
    .updateTable('tasks')
    .set({ is_featured: isFeatured, updated_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
