// Timeouts of engines and workers. They depend only on rows and the current time, so a restart changes nothing. Times
// before the start of the server do not count, because engines could not reach it.

import { taskStatus } from '@millrace/contract/task-status'
import { endSessionsOf } from '#execution/app-sessions/service.ts'
import { failTask, rejectTask } from '#execution/tasks/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import type { PeriodicTask } from '#platform/db/periodic-tasks.ts'
import { engineEnded } from './extension-points.ts'
import { reportEngine } from './reports.ts'
import * as store from './store.ts'
import * as overdue from './sweep-store.ts'
import { retireWorkers, workersOf } from './worker-store.ts'

export const graceMs = {
  unacceptedTask: 30_000,
  missingWorker: 90_000,
  disconnectedEngine: 5 * 60_000,
  restartingEngine: 15 * 60_000,
  stoppingEngine: 15_000,
  queuedTask: 24 * 3600_000,
} as const

type Clock = keyof typeof graceMs

/** Timeouts that exclude the server's own downtime. */
const fromStart: readonly Clock[] = ['unacceptedTask', 'missingWorker', 'disconnectedEngine', 'restartingEngine']

/**
 * The time before which something is overdue. Nothing is overdue until the server has been up for the whole timeout.
 */
const cutoff = (clock: Clock, now: Date, upSince: Date): string => {
  const since = now.getTime() - graceMs[clock]
  return fromStart.includes(clock) && since < upSince.getTime() ? '-infinity' : new Date(since).toISOString()
}

const clocks = Object.keys(graceMs) as Clock[]

type Cutoffs = Readonly<Record<Clock, string>>

const cutoffs = (now: Date, upSince: Date): Cutoffs =>
  Object.fromEntries(clocks.map((clock) => [clock, cutoff(clock, now, upSince)])) as Cutoffs

/** `upSince` is the start of this server: engines could not reach it before. */
export const sweep = async (ctx: Ctx<Actor>, upSince: Date): Promise<void> => {
  const since = cutoffs(ctx.now(), upSince)
  await failUnaccepted(ctx, since)
  await retireMissingWorkers(ctx, since)
  await finalizeDisconnected(ctx, since)
  await finalizeStopping(ctx, since)
  await failExpired(ctx, since)
}

/** The queries of the sweep, to check whether it has work. */
export const sweepRound = (upSince: Date): Pick<PeriodicTask, 'values' | 'due'> => ({
  values: (now) => Object.values(cutoffs(now, upSince)),
  due: (db, ...times) => {
    const since = Object.fromEntries(clocks.map((clock, index) => [clock, times[index]])) as Cutoffs
    return [
      overdue.unacceptedTasks(db, since.unacceptedTask),
      overdue.missingWorkers(since.missingWorker),
      overdue.enginesDisconnectedSince(db, 'disconnected', since.disconnectedEngine),
      overdue.enginesDisconnectedSince(db, 'restarting', since.restartingEngine),
      overdue.enginesStoppingSince(db, since.stoppingEngine),
      overdue.tasksQueuedSince(db, since.queuedTask),
    ]
  },
})

/** Dispatched, but neither accepted nor rejected by the engine. */
const failUnaccepted = async (ctx: Ctx<Actor>, since: Cutoffs): Promise<void> => {
  for (const task of await overdue.unacceptedTasks(ctx.db, since.unacceptedTask).execute())
    await failTask(ctx, task.id, task.attempt, 'The engine did not answer the dispatch')
}

/** The engine is connected and reports, but no longer this worker. */
const retireMissingWorkers = async (ctx: Ctx<Actor>, since: Cutoffs): Promise<void> => {
  const { rows } = await overdue.missingWorkers(since.missingWorker).execute(ctx.db)
  const missing = rows.map((worker) => worker.id)
  if (missing.length > 0) await retire(ctx, missing, 'worker_lost: the engine no longer reports the worker')
}

/** Retires workers permanently: their tasks fail, their sessions end, and they receive no more tasks. */
export const retire = async (ctx: Ctx<Actor>, workerIds: readonly string[], error: string): Promise<void> => {
  await ctx.tx(async (ctx) => {
    await loseTasks(ctx, workerIds, error)
    await endSessionsOf(ctx, workerIds, error)
    await retireWorkers(ctx.db, workerIds, ctx.now().toISOString())
    // A concurrent dispatch may have held the worker's lock until now.
    await loseTasks(ctx, workerIds, error)
  })
}

const loseTasks = async (ctx: Ctx<Actor>, workerIds: readonly string[], error: string): Promise<void> => {
  for (const task of await store.liveTasksOf(ctx.db, { workerIds })) await failTask(ctx, task.id, task.attempt, error)
}

const finalizeDisconnected = async (ctx: Ctx<Actor>, since: Cutoffs): Promise<void> => {
  for (const [status, time, reason] of [
    ['disconnected', since.disconnectedEngine, 'disconnected'],
    ['restarting', since.restartingEngine, 'restart_timeout'],
  ] as const)
    for (const { id } of await overdue.enginesDisconnectedSince(ctx.db, status, time).execute())
      await finalize(ctx, id, reason)
}

/** Stopping engines that disconnected unnoticed or do not disconnect. */
const finalizeStopping = async (ctx: Ctx<Actor>, since: Cutoffs): Promise<void> => {
  for (const engine of await overdue.enginesStoppingSince(ctx.db, since.stoppingEngine).execute())
    await finalize(ctx, engine.id, engine.stop_reason)
}

/** Fails all tasks of the engine, including those that only wait for their outputs to be stored. */
export const loseWork = async (ctx: Ctx<Actor>, engineId: string, error: string): Promise<void> => {
  const workers = await workersOf(ctx.db, [engineId])
  await retire(
    ctx,
    workers.map((worker) => worker.id),
    error,
  )
  for (const task of await store.liveTasksOf(ctx.db, { engineId })) await failTask(ctx, task.id, task.attempt, error)
}

/**
 * Requeues the tasks that an engine never accepted when it leaves orderly: no worker has started them. A task of a
 * session cannot run elsewhere.
 */
export const requeueUnaccepted = async (ctx: Ctx<Actor>, engineId: string): Promise<void> => {
  for (const { id, attempt, status, accepted_at, session_id } of await store.liveTasksOf(ctx.db, { engineId }))
    if (status === taskStatus.dispatched && accepted_at === null && session_id === null)
      await rejectTask(ctx, id, { engineId, attempt }, 'engine_draining')
}

const goneText = (reason: string): string => `worker_lost: the engine is gone (${reason})`

/** Orders a connected engine to stop: its tasks end immediately, and it is stopped when its socket closes. */
export const beginStop = (ctx: Ctx<Actor>, engineId: string, reason: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    await store.changeEngine(ctx.db, engineId, ctx.now(), { status: 'stopping', stop_reason: reason })
    await loseWork(ctx, engineId, goneText(reason))
    await notifyEnded(ctx, engineId, reason)
  })

/** The engine is permanently gone: retires its workers and fails their tasks. */
export const finalize = (ctx: Ctx<Actor>, engineId: string, reason: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    await store.changeEngine(ctx.db, engineId, ctx.now(), { status: 'stopped', stop_reason: reason, connected: false })
    await loseWork(ctx, engineId, goneText(reason))
    await notifyEnded(ctx, engineId, reason)
  })

const notifyEnded = async (ctx: Ctx<Actor>, engineId: string, reason: string): Promise<void> => {
  for (const listener of ctx.extensions.listenersOf(engineEnded)) await listener(ctx, { id: engineId, reason })
  await reportEngine(ctx, engineId)
}

const failExpired = async (ctx: Ctx<Actor>, since: Cutoffs): Promise<void> => {
  for (const task of await overdue.tasksQueuedSince(ctx.db, since.queuedTask).execute())
    await failTask(ctx, task.id, task.attempt, 'expired: no worker took the task within 24 hours')
}
