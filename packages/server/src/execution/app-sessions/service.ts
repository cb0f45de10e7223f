// App sessions lease a worker to one caller for several tasks of one app version, one after another.
import { newId } from '@millrace/contract/ids'
import { taskStatus } from '@millrace/contract/task-status'
import { sweepOldRuns } from '#accounts/plans/service.ts'
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx, Platform } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import type { TaskEndedListener } from '../tasks/extension-points.ts'
import { engineFrames, move, queueEvent } from '../tasks/service.ts'
import { sessionDto } from './dto.ts'
import * as store from './store.ts'

const idleSecondsDefault = 60
const queueLimit = 8

type SessionRequest = {
  session: string
  timeoutSeconds: number | undefined
  appId: string
  versionId: string
  taskId: string
  /** Whether the task is scheduled for later. */
  isLater: boolean
}

/** The session for a run request: a new one, or an active one of this app version with room in its queue. */
export const sessionForRun = async (ctx: Ctx<Member>, request: SessionRequest): Promise<store.SessionRow> => {
  if (request.session === 'new') return createSession(ctx, request)
  const row = await lockSession(ctx, request.session)
  // The session's process has the connections of its owner; a colleague would act with them.
  if (row.user_id !== ctx.actor.userId) throw sessionNotFound()
  if (row.app_id !== request.appId || row.app_version_id !== request.versionId)
    throw fail('validation_error', '`session` belongs to another app or version')
  refuseOver(ctx, row)
  if ((await store.countUnfinished(ctx.db, row.id)) > queueLimit)
    throw fail('session_busy', `The session already has ${queueLimit} queued tasks`)
  // A scheduled task holds no worker before its time.
  const expiresAt = request.isLater ? row.expires_at : null
  return store.beginCall(ctx.db, row, { taskId: request.taskId, expiresAt, now: ctx.now().toISOString() })
}

const createSession = (ctx: Ctx<Member>, request: SessionRequest): Promise<store.SessionRow> => {
  const now = ctx.now().toISOString()
  return store.insertSession(ctx.db, {
    id: newId(),
    team_id: ctx.actor.teamId,
    user_id: ctx.actor.userId,
    app_id: request.appId,
    app_version_id: request.versionId,
    idle_timeout: request.timeoutSeconds ?? idleSecondsDefault,
    task_id: request.taskId,
    call_count: 1,
    last_call_at: now,
    created_at: now,
  })
}

const sessionNotFound = () => fail('session_not_found', 'App session not found')

const lockSession = async (ctx: Ctx<Member>, id: string): Promise<store.SessionRow> => {
  const row = await store.lockSession(ctx.db, ctx.actor.teamId, id)
  if (!row) throw sessionNotFound()
  return row
}

const refuseOver = (ctx: Ctx<Member>, row: store.SessionRow): void => {
  if (row.status === 'ended') throw fail('session_ended')
  if (row.status === 'expired' || (row.expires_at !== null && Date.parse(row.expires_at) <= ctx.now().getTime()))
    throw fail('session_expired')
}

export const listSessions = async (ctx: Ctx<Member>) =>
  (await store.listActive(ctx.db, ctx.actor.teamId)).map((row) => sessionDto(row, ctx.now()))

export const getSession = (ctx: Ctx<Member>, id: string) =>
  ctx.tx(async (ctx) => sessionDto(await lockSession(ctx, id), ctx.now()))

export const keepAlive = (ctx: Ctx<Member>, id: string) =>
  ctx.tx(async (ctx) => {
    const row = await lockSession(ctx, id)
    refuseOver(ctx, row)
    if (row.expires_at === null) return sessionDto(row, ctx.now())
    const expiresAt = new Date(ctx.now().getTime() + row.idle_timeout * 1000).toISOString()
    return sessionDto(await store.renew(ctx.db, row.id, expiresAt, ctx.now().toISOString()), ctx.now())
  })

export const endSession = (ctx: Ctx<Member>, id: string) =>
  ctx.tx(async (ctx) => {
    const row = await lockSession(ctx, id)
    await finishSession(ctx, row, 'ended')
    return { success: true }
  })

const sessionOver = 'session_ended: the app session has ended'

/** Releases the worker, notifies its engine and fails the queued tasks. No effect if the session has already ended. */
export const finishSession = async (
  ctx: Ctx<Actor>,
  row: store.SessionRow,
  status: 'ended' | 'expired',
  because = sessionOver,
): Promise<void> => {
  const ended = await store.closeSession(ctx.db, row.id, status, ctx.now().toISOString())
  if (!ended) return
  for (const { id } of await store.lockQueuedTasks(ctx.db, row.id))
    await move(ctx, id, { fence: null, to: taskStatus.failed, error: because })
  const freed = await store.releaseWorker(ctx.db, row.id)
  if (ended.engine_id !== null && ended.worker_id !== null)
    ctx.emit({
      subject: engineFrames(ended.engine_id),
      data: { type: 'session_end', data: { session_id: row.id, worker_id: ended.worker_id } },
    })
  if (freed.length > 0) ctx.emit(queueEvent('free'))
}

/** Ends the sessions of workers that no longer exist. */
export const endSessionsOf = async (ctx: Ctx<Actor>, workerIds: readonly string[], because: string): Promise<void> => {
  for (const session of await store.findOnWorkers(ctx.db, workerIds))
    await finishSession(ctx, session, 'ended', because)
}

/** Ends sessions whose idle time is over, each in its own short transaction. */
export const expireSessions = async (ctx: Ctx<Actor>): Promise<number> => {
  let expired = 0
  for (const { id } of await store.expiredSessions(ctx.db, ctx.now().toISOString()).execute())
    await ctx.tx(async (ctx) => {
      // A run may have arrived meanwhile: only a session that is still idle under its lock ends.
      const row = await store.lockExpired(ctx.db, id, ctx.now().toISOString())
      if (!row) return
      expired += 1
      await finishSession(ctx, row, 'expired')
    })
  return expired
}

/** Ends an idle session early because a queued task needs its worker. A session with new tasks stays. */
export const endIdleSession = (ctx: Ctx<Actor>, id: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    const row = await store.lockIdle(ctx.db, id)
    if (row) await finishSession(ctx, row, 'expired')
  })

/** Fails tasks that were requeued after the end of their session. */
export const failStranded = async (ctx: Ctx<Actor>): Promise<void> => {
  for (const { id, attempt } of await store.strandedTasks(ctx.db).execute())
    await move(ctx, id, { fence: { attempt }, to: taskStatus.failed, error: sessionOver })
}

/** The idle time of a session starts when the last of its tasks has ended. */
export const startIdleWithTask: TaskEndedListener = {
  concerns: ({ session_id }) => session_id !== null,
  run: async (ctx, { session_id, updated_at }) => {
    if (session_id !== null) await store.startIdle(ctx.db, session_id, updated_at, taskStatus.completed)
  },
}

/** Ended sessions are deleted with the same retention as runs. */
export const sweepEnded = async (platform: Platform): Promise<void> => {
  await sweepOldRuns(platform, (...batch) => store.deleteEnded(platform.db, ...batch))
}
