// App sessions: a worker leased to one caller for several tasks of one app version, one after another.
import { newId, shortId } from '@millrace/contract/ids'
import { taskStatus } from '@millrace/contract/task-status'
import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Actor, Member } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { fail } from '../core/errors.ts'
import { idMatches } from '../db/ids.ts'
import type { Database } from '../db/schema.gen.ts'
import { move } from './moves.ts'
import * as store from './store.ts'
import { engineFrames } from './subjects.ts'

export type SessionRow = Selectable<Database['app_sessions']>

const idleSecondsDefault = 60
const queueLimit = 8

export const toSession = (row: SessionRow) => ({
  id: row.id,
  short_id: shortId(row.id),
  created_at: row.created_at,
  updated_at: row.updated_at,
  deleted_at: null,
  user_id: row.user_id,
  user: null,
  team_id: row.team_id,
  team: null,
  visibility: row.visibility as 'private',
  worker_id: row.worker_id,
  app_id: row.app_id,
  app_version_id: row.app_version_id,
  status: row.status,
  expires_at: row.expires_at,
  ended_at: row.ended_at,
  last_call_at: row.last_call_at,
  task_id: row.task_id,
  call_count: row.call_count,
  idle_timeout: row.idle_timeout,
})

/** The session a run asks for: a new one, or an active one of this app version with room in its queue. */
export const sessionForRun = async (
  ctx: Ctx<Member>,
  asked: { session: string; timeoutSeconds: number | undefined; appId: string; versionId: string; taskId: string },
): Promise<SessionRow> => {
  if (asked.session === 'new') return createSession(ctx, asked)
  const row = await lockSession(ctx, asked.session)
  if (row.app_id !== asked.appId || row.app_version_id !== asked.versionId)
    throw fail('validation_error', 'session belongs to another app or version')
  refuseOver(ctx, row)
  const waiting = await ctx.db
    .selectFrom('tasks')
    .select(sql<number>`count(*)`.as('count'))
    .where('session_id', '=', row.id)
    .where('status', '<', taskStatus.completed)
    .executeTakeFirstOrThrow()
  if (waiting.count > queueLimit) throw fail('session_busy', `The session already has ${queueLimit} tasks waiting`)
  return ctx.db
    .updateTable('app_sessions')
    .set({
      expires_at: null,
      task_id: asked.taskId,
      call_count: row.call_count + 1,
      last_call_at: ctx.now().toISOString(),
    })
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

const createSession = (
  ctx: Ctx<Member>,
  asked: { timeoutSeconds: number | undefined; appId: string; versionId: string; taskId: string },
): Promise<SessionRow> =>
  ctx.db
    .insertInto('app_sessions')
    .values({
      id: newId(),
      team_id: ctx.actor.teamId,
      user_id: ctx.actor.userId,
      app_id: asked.appId,
      app_version_id: asked.versionId,
      idle_timeout: asked.timeoutSeconds ?? idleSecondsDefault,
      task_id: asked.taskId,
      call_count: 1,
      last_call_at: ctx.now().toISOString(),
      created_at: ctx.now().toISOString(),
    })
    .returningAll()
    .executeTakeFirstOrThrow()

const lockSession = async (ctx: Ctx<Member>, id: string): Promise<SessionRow> => {
  const row = await ctx.db
    .selectFrom('app_sessions')
    .selectAll()
    .where(idMatches('app_sessions.id', id))
    .where('team_id', '=', ctx.actor.teamId)
    .forUpdate()
    .limit(1)
    .executeTakeFirst()
  if (!row) throw fail('session_not_found', 'There is no such app session')
  return row
}

const refuseOver = (ctx: Ctx<Member>, row: SessionRow): void => {
  if (row.status === 'ended') throw fail('session_ended')
  if (row.status === 'expired' || (row.expires_at !== null && Date.parse(row.expires_at) <= ctx.now().getTime()))
    throw fail('session_expired')
}

export const listSessions = async (ctx: Ctx<Member>) => {
  const rows = await ctx.db
    .selectFrom('app_sessions')
    .selectAll()
    .where('team_id', '=', ctx.actor.teamId)
    .where('status', '=', 'active')
    .orderBy('created_at', 'desc')
    .execute()
  return rows.map(toSession)
}

export const getSession = (ctx: Ctx<Member>, id: string) => ctx.tx(async (ctx) => toSession(await lockSession(ctx, id)))

export const keepAlive = (ctx: Ctx<Member>, id: string) =>
  ctx.tx(async (ctx) => {
    const row = await lockSession(ctx, id)
    refuseOver(ctx, row)
    if (row.expires_at === null) return toSession(row)
    const expiresAt = new Date(ctx.now().getTime() + row.idle_timeout * 1000).toISOString()
    const renewed = await ctx.db
      .updateTable('app_sessions')
      .set({ expires_at: expiresAt, updated_at: ctx.now().toISOString() })
      .where('id', '=', row.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    return toSession(renewed)
  })

export const endSession = (ctx: Ctx<Member>, id: string) =>
  ctx.tx(async (ctx) => {
    const row = await lockSession(ctx, id)
    await finishSession(ctx, row, 'ended')
    return { success: true }
  })

const sessionOver = 'session_ended: the app session has ended'

/** Frees the worker, tells its engine, and ends what still waits; harmless when the session is over already. */
export const finishSession = async (
  ctx: Ctx<Actor>,
  row: SessionRow,
  status: 'ended' | 'expired',
  because = sessionOver,
): Promise<void> => {
  const now = ctx.now().toISOString()
  const ended = await ctx.db
    .updateTable('app_sessions')
    .set({ status, ended_at: now, updated_at: now })
    .where('id', '=', row.id)
    .where('status', '=', 'active')
    .returning(['engine_id', 'worker_id'])
    .executeTakeFirst()
  if (!ended) return
  for (const { id } of await store.lockWaitingInSession(ctx.db, row.id))
    await move(ctx, id, { fence: null, to: taskStatus.failed, error: because })
  await ctx.db.updateTable('workers').set({ active_session_id: null }).where('active_session_id', '=', row.id).execute()
  if (ended.engine_id !== null && ended.worker_id !== null)
    ctx.emit({
      subject: engineFrames(ended.engine_id),
      data: { type: 'session_end', data: { session_id: row.id, worker_id: ended.worker_id } },
    })
}

const lockExpired = (ctx: Ctx<Actor>, id: string): Promise<SessionRow | undefined> =>
  ctx.db
    .selectFrom('app_sessions')
    .selectAll()
    .where('id', '=', id)
    .where('status', '=', 'active')
    .where('expires_at', '<=', ctx.now().toISOString())
    .forUpdate()
    .limit(1)
    .executeTakeFirst()

/** Sessions whose idle time is over; each in its own short transaction. */
export const expireSessions = async (ctx: Ctx<Actor>): Promise<number> => {
  const due = await ctx.db
    .selectFrom('app_sessions')
    .select('id')
    .where('status', '=', 'active')
    .where('expires_at', '<=', ctx.now().toISOString())
    .limit(200)
    .execute()
  let expired = 0
  for (const { id } of due)
    await ctx.tx(async (ctx) => {
      // A run may have come in since: only a session that is still idle under its lock is over.
      const row = await lockExpired(ctx, id)
      if (!row) return
      expired += 1
      await finishSession(ctx, row, 'expired')
    })
  return expired
}

/** Tasks that came back to the queue after their session was over. */
export const failStranded = async (ctx: Ctx<Actor>): Promise<void> => {
  for (const { id, attempt } of await store.strandedInSessions(ctx.db))
    await move(ctx, id, { fence: { attempt }, to: taskStatus.failed, error: sessionOver })
}
