// Assigns queued tasks to idle workers. Bus events wake it; a periodic task is the safety net. The rows of task and
// worker change in one statement, and the server that holds the engine's socket sends the task (sending.ts).
import { taskStatus } from '@millrace/contract/task-status'
import { type Actor, system } from '#platform/core/actor.ts'
import { type Ctx, createCtx, type Platform } from '#platform/core/ctx.ts'
import { asSharedWork, inWork } from '#platform/fairness/work.ts'
import { endIdleSession } from '../app-sessions/service.ts'
import { type QueueEvent, queueSubject, statusEvent } from '../tasks/service.ts'
import { activeWorkspaces } from './active-workspaces.ts'
import { createFairOrder, type FairOrder } from './fair-order.ts'
import { createFairShare, reservedMs } from './fair-share.ts'
import { createGpuRoom } from './gpu-room.ts'
import { createLastWorker, mayTakeLast } from './last-worker.ts'
import { findSharedUse } from './last-worker-store.ts'
import { type MatchRule, matchTasks, workerLabel } from './matching.ts'
import { resendOverdue } from './sending.ts'
import { slotsOf } from './slots.ts'
import * as store from './store.ts'
import { placedSubject, stillQueuedSubject } from './subjects.ts'
import { createWarmAffinity, type WarmAffinity } from './warm-affinity.ts'

const resendMs = 4_000
/** Minimum interval between notifications to the other servers that tasks are queued. */
const notifyMs = 20
/**
 * For how long a query that found no idle worker stays valid. Workers that become idle on other servers do not notify
 * this one.
 */
const busyMs = 20

/** State that a dispatcher retains between queries. */
type DispatchMemory = { fairOrder: FairOrder; warmAffinity: WarmAffinity }

/** The dispatcher works for all workspaces, so its queries do not wait in the queue of the caller that woke it. */
const dispatchWork = { kind: 'dispatch', tenant: null } as const

export type Dispatcher = { stop(): Promise<void> }

export const startDispatcher = (platform: Platform): Dispatcher => {
  let isWanted = false
  /** False after a query that found an empty queue: a worker that becomes idle then needs no query. */
  let mayHaveTasks = true
  /** Until this time no worker is idle, according to the last query: a new task needs no query. */
  let allBusyUntilMs = 0
  let notifyTimer: NodeJS.Timeout | null = null
  let running: Promise<void> | null = null
  let stopped = false
  const memory: DispatchMemory = {
    fairOrder: createFairOrder(),
    warmAffinity: createWarmAffinity(() => platform.now().getTime()),
  }

  const wake = (event: QueueEvent): void => {
    if (event === 'waiting') mayHaveTasks = true
    else allBusyUntilMs = 0
    if (!mayHaveTasks) return
    if (performance.now() < allBusyUntilMs) notifyOthers()
    else schedule()
  }

  const schedule = (): void => {
    isWanted = true
    if (running || stopped) return
    running = inWork(dispatchWork, drain).finally(() => {
      running = null
      if (isWanted) schedule()
    })
  }

  const drain = async (): Promise<void> => {
    while (isWanted && !stopped) {
      isWanted = false
      try {
        const { assigned, isAnyIdle, isAnyQueued } = await dispatchOnce(platform, memory)
        // A full batch means that there may be more.
        if (assigned >= store.batchSize) isWanted = true
        // New tasks and idle workers that arrived meanwhile are handled by the next loop.
        else if (!isWanted) await rest({ assigned, isAnyIdle, isAnyQueued })
      } catch (error) {
        platform.log.error({ err: error }, 'dispatching failed')
      }
    }
  }

  const rest = async ({ assigned, isAnyIdle, isAnyQueued }: RoundResult): Promise<void> => {
    if (!isAnyIdle) allBusyUntilMs = performance.now() + busyMs
    if (assigned === 0) mayHaveTasks = isAnyQueued
    if (!isAnyQueued) return
    notifyOthers()
    if (assigned === 0 && isAnyIdle) await endYieldingSession(createCtx(platform, system))
  }

  /**
   * Notifies the other servers: a worker that becomes idle there wakes their dispatcher only if it believes that tasks
   * are queued.
   */
  const notifyOthers = (): void => {
    notifyTimer ??= setTimeout(() => {
      notifyTimer = null
      platform.bus.publish(stillQueuedSubject, null)
    }, notifyMs)
  }

  const unsubscribe = [
    platform.bus.subscribe(queueSubject, wake),
    // A worker may have become idle here while the notification was in transit.
    platform.bus.subscribe(stillQueuedSubject, () => {
      if (!mayHaveTasks) wake('waiting')
    }),
  ]
  // Finds tasks that became due with time.
  const stopTask = platform.periodicTasks.add({
    name: 'dispatch',
    due: (_db, now) => [store.queuedTasks(now)],
    work: async () => {
      mayHaveTasks = true
      wake('free')
    },
  })
  // Within a single server, no frame is lost between the dispatcher and the socket.
  const isShared = platform.settings.DATABASE_URL !== undefined
  const resending = setInterval(() => {
    if (!isShared) return
    resendOverdue(platform).catch((error: unknown) =>
      platform.log.error({ err: error }, 'could not resend tasks that engines did not acknowledge'),
    )
  }, resendMs)
  return {
    stop: async () => {
      stopped = true
      for (const stopListening of unsubscribe) stopListening()
      await stopTask()
      clearInterval(resending)
      if (notifyTimer) clearTimeout(notifyTimer)
      await running
    },
  }
}

/** The number of assigned tasks, and whether idle workers and queued tasks remain, as far as the query shows. */
type RoundResult = { assigned: number; isAnyIdle: boolean; isAnyQueued: boolean }

/** Assigns queued tasks to idle workers once. */
const dispatchOnce = async (platform: Platform, memory: DispatchMemory): Promise<RoundResult> => {
  const ctx = createCtx(platform, system)
  const now = ctx.now().toISOString()
  const { queue, matches } = await matchQueue(ctx, now, memory)
  if (matches.length === 0) return { assigned: 0, isAnyIdle: queue.is_any_idle, isAnyQueued: queue.is_any_queued }
  const rows = await store.assignTasks(
    ctx.db,
    matches.map(({ task, worker }) => ({
      taskId: task.id,
      workerId: worker.id,
      event: statusEvent(taskStatus.dispatched, now),
    })),
    now,
  )
  const byTask = new Map(matches.map(({ task, worker }) => [task.id, worker]))
  for (const task of rows) {
    memory.fairOrder.served(task.team_id)
    const worker = byTask.get(task.id)
    if (worker) ctx.emit({ subject: placedSubject(worker.engine_id), data: { task, public_key: worker.public_key } })
  }
  return {
    assigned: rows.length,
    isAnyIdle: queue.workers.length > rows.length,
    isAnyQueued: queue.tasks.length > rows.length,
  }
}

/** Ends the session that has been idle longest, if idle sessions hold all workers that could run the queued tasks. */
const endYieldingSession = async (ctx: Ctx<Actor>): Promise<void> => {
  const session = await store.findYieldingSession(ctx.db, ctx.now().toISOString())
  if (session) await asSharedWork(() => endIdleSession(ctx, session.id))
}

/**
 * Reads few tasks at first, since few workers become idle at a time. If workspaces at their concurrency limit fill the
 * result, the queue is read again without them, so that they do not hide the others.
 */
const matchQueue = async (ctx: Ctx<Actor>, now: string, { fairOrder, warmAffinity }: DispatchMemory) => {
  const full = new Set<string>()
  const reservedSince = new Date(Date.parse(now) - reservedMs).toISOString()
  for (let size: store.QueueQuery['size'] = store.fewTasks; ; size = store.batchSize) {
    const queue = await store.findQueue(ctx.db, { now, reservedSince, fullTeams: [...full], size })
    const { tasks, workers } = queue
    if (tasks.length === 0) return { queue, matches: [] }
    const slots = await slotsOf(
      ctx,
      tasks.map((task) => task.team_id),
    )
    const matches = matchTasks(
      fairOrder.inOrder(tasks),
      workers.map((worker) => ({ ...worker, label: workerLabel(worker.engine_name, worker) })),
      slots,
      [
        warmAffinity,
        createGpuRoom(),
        ...(isContested(tasks, workers) ? [createFairShare(await store.findWorkerUse(ctx.db, reservedSince))] : []),
        await lastWorkerRule(ctx, tasks, workers),
      ],
    )
    if (tasks.length < size || matches.length === workers.length) return { queue, matches }
    const taken = [...slots].filter(([, remaining]) => remaining === 0).map(([teamId]) => teamId)
    if (size === store.batchSize && (matches.length > 0 || taken.length === 0)) return { queue, matches }
    for (const teamId of taken) full.add(teamId)
  }
}

const lastWorkerRule = async (
  ctx: Ctx<Actor>,
  tasks: Parameters<typeof mayTakeLast>[0],
  workers: Parameters<typeof mayTakeLast>[1],
): Promise<MatchRule> => {
  const active = activeWorkspaces(ctx)
  const nowMs = ctx.now().getTime()
  const isNeeded = mayTakeLast(tasks, workers, (teamId) => active.others(teamId, nowMs))
  return createLastWorker(isNeeded ? await findSharedUse(ctx.db) : [], active, nowMs)
}

/**
 * Whether a queued task could take a worker that is reserved for another workspace. Only then are the worker counts per
 * workspace needed.
 */
const isContested = (
  tasks: readonly { team_id: string }[],
  workers: readonly { reserved_for: string | null }[],
): boolean => {
  const waiting = new Set(tasks.map((task) => task.team_id))
  return workers.some(({ reserved_for }) => reserved_for !== null && (waiting.size > 1 || !waiting.has(reserved_for)))
}
