// SQL of app sessions and of their queued tasks.
import { taskStatus } from '@millrace/contract/task-status'
import { type Insertable, type Selectable, type SqlBool, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import { isQueued } from '../tasks/service.ts'

export type SessionRow = Selectable<Database['app_sessions']>

export const insertSession = (db: Db, session: Insertable<Database['app_sessions']>): Promise<SessionRow> =>
  db.insertInto('app_sessions').values(session).returningAll().executeTakeFirstOrThrow()

export const lockSession = (db: Db, teamId: string, id: string): Promise<SessionRow | undefined> =>
  db
    .selectFrom('app_sessions')
    .selectAll()
    .where(idMatches('app_sessions.id', id))
    .where('team_id', '=', teamId)
    .forUpdate()
    .limit(1)
    .executeTakeFirst()

export type SessionCall = {
  taskId: string
  /** Null while a task is queued or running: the idle time is paused. */
  expiresAt: string | null
  now: string
}

/** Records another task of the session. */
export const beginCall = (db: Db, session: SessionRow, { taskId, expiresAt, now }: SessionCall): Promise<SessionRow> =>
  db
    .updateTable('app_sessions')
    .set({ expires_at: expiresAt, task_id: taskId, call_count: session.call_count + 1, last_call_at: now })
    .where('id', '=', session.id)
    .returningAll()
    .executeTakeFirstOrThrow()

export const listActive = (db: Db, teamId: string): Promise<SessionRow[]> =>
  db
    .selectFrom('app_sessions')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('status', '=', 'active')
    .orderBy('created_at', 'desc')
    .execute()

export const renew = (db: Db, id: string, expiresAt: string, now: string): Promise<SessionRow> =>
  db
    .updateTable('app_sessions')
    .set({ expires_at: expiresAt, updated_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** Undefined when it had already ended. */
export const closeSession = (db: Db, id: string, status: 'ended' | 'expired', now: string) =>
  db
    .updateTable('app_sessions')
    .set({ status, ended_at: now, updated_at: now })
    .where('id', '=', id)
    .where('status', '=', 'active')
    .returning(['engine_id', 'worker_id'])
    .executeTakeFirst()

/** Returns the ids of the released workers. */
export const releaseWorker = (db: Db, sessionId: string): Promise<{ id: string }[]> =>
  db
    .updateTable('workers')
    .set({ active_session_id: null })
    .where('active_session_id', '=', sessionId)
    .returning('id')
    .execute()

/** A literal, so that the generic plan of a prepared statement can use the partial index. */
const isActive = sql<SqlBool>`app_sessions.status = 'active'`

export const expiredSessions = (db: Db, now: string) =>
  db
    .selectFrom('app_sessions')
    .select('id')
    .where(isActive)
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(200)

export const lockExpired = (db: Db, id: string, now: string): Promise<SessionRow | undefined> =>
  db
    .selectFrom('app_sessions')
    .selectAll()
    .where('id', '=', id)
    .where('status', '=', 'active')
    .where('expires_at', '<=', now)
    .forUpdate()
    .limit(1)
    .executeTakeFirst()

/** The session if it is active and has no queued or running tasks. */
export const lockIdle = (db: Db, id: string): Promise<SessionRow | undefined> =>
  db
    .selectFrom('app_sessions')
    .selectAll()
    .where('id', '=', id)
    .where('status', '=', 'active')
    .where('expires_at', 'is not', null)
    .forUpdate()
    .limit(1)
    .executeTakeFirst()

export const findOnWorkers = (db: Db, workerIds: readonly string[]): Promise<SessionRow[]> =>
  db
    .selectFrom('app_sessions')
    .selectAll()
    .where('status', '=', 'active')
    .where('worker_id', '=', sql<string>`any(${workerIds}::text[])`)
    .execute()

/** Starts the idle time after the end of a task, if no other task of the session is running or due. */
export const startIdle = async (db: Db, sessionId: string, now: string, terminal: number): Promise<void> => {
  await sql`
    update app_sessions set expires_at = ${now}::timestamptz + idle_timeout * interval '1 second',
      last_call_at = ${now}::timestamptz, updated_at = ${now}::timestamptz
    where id = ${sessionId} and status = 'active'
      and not exists (select 1 from tasks where session_id = ${sessionId} and status < ${terminal}
        and (status > ${taskStatus.queued} or available_at <= ${now}::timestamptz))`.execute(db)
}

export const deleteEnded = async (db: Db, teamId: string, before: string, limit: number): Promise<number> => {
  const { rows } = await sql<{ id: string }>`
    delete from app_sessions where id in (
      select id from app_sessions where team_id = ${teamId} and ended_at < ${before}::timestamptz limit ${limit})
    returning id`.execute(db)
  return rows.length
}

/** Skips tasks that another transaction is dispatching or canceling: waiting for its lock could deadlock. */
export const lockQueuedTasks = (db: Db, sessionId: string) =>
  db
    .selectFrom('tasks')
    .select('id')
    .where('session_id', '=', sessionId)
    .where('status', '<=', taskStatus.queued)
    .orderBy('created_at')
    .forUpdate()
    .skipLocked()
    .execute()

/** The number of tasks of the session that have not ended. */
export const countUnfinished = async (db: Db, sessionId: string): Promise<number> => {
  const row = await db
    .selectFrom('tasks')
    .select(sql<number>`count(*)`.as('count'))
    .where('session_id', '=', sessionId)
    .where('status', '<', taskStatus.completed)
    .executeTakeFirstOrThrow()
  return row.count
}

/** Queued tasks whose session has ended. */
export const strandedTasks = (db: Db) =>
  db
    .selectFrom('tasks')
    .innerJoin('app_sessions', 'app_sessions.id', 'tasks.session_id')
    .select(['tasks.id', 'tasks.attempt'])
    .where(isQueued)
    .where('tasks.session_id', 'is not', null)
    .where(sql<SqlBool>`not ${isActive}`)
    .limit(200)
