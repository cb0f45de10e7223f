// Gives waiting tasks to idle workers: woken by news, with the rounds as the safety net. The task row and the worker
// row change in one statement; the server that holds the engine's socket hears of it and sends the task (sending.ts).
import { taskStatus } from '@millrace/contract/task-status'
import { type Actor, system } from '#platform/core/actor.ts'
import { type Ctx, createCtx, type Platform } from '#platform/core/ctx.ts'
import { apart, inWork } from '#platform/fairness/work.ts'
import { giveWay } from '../app-sessions/service.ts'
import { type QueueNews, queueSubject, statusEvent } from '../tasks/service.ts'
import { matchTasks, workerLabel } from './matching.ts'
import { resendOverdue } from './sending.ts'
import { createSetUps, type SetUps } from './set-ups.ts'
import { createShares, keptMs } from './shares.ts'
import { slotsOf } from './slots.ts'
import * as store from './store.ts'
import { leftWaitingSubject, placedSubject } from './subjects.ts'
import { createTurns, type Turns } from './turns.ts'

const resendMs = 4_000
/** The other servers are told at most this often that something waits. */
const tellMs = 20
/** How long a look that found nobody idle counts: whoever becomes free on another server is not heard here. */
const busyMs = 20

/** What a dispatcher remembers of its earlier looks. */
type Memory = { turns: Turns; setUps: SetUps }

/** Whoever wakes it, it works for all of them, and waits behind nobody's questions. */
const ownLane = { kind: 'dispatch', tenant: null } as const

export type Dispatcher = { stop(): Promise<void> }

export const startDispatcher = (platform: Platform): Dispatcher => {
  let isWanted = false
  /** False once a look found nothing at all: a worker that becomes free then has nothing to be asked for. */
  let mayWait = true
  /** Until then nobody is idle, as a look found: a task that comes meanwhile has nobody to be asked for. */
  let allBusyUntilMs = 0
  let telling: NodeJS.Timeout | null = null
  let running: Promise<void> | null = null
  let stopped = false
  const memory: Memory = { turns: createTurns(), setUps: createSetUps(() => platform.now().getTime()) }

  const wake = (news: QueueNews): void => {
    if (news === 'waiting') mayWait = true
    else allBusyUntilMs = 0
    if (!mayWait) return
    if (performance.now() < allBusyUntilMs) tellOthers()
    else look()
  }

  const look = (): void => {
    isWanted = true
    if (running || stopped) return
    running = inWork(ownLane, drain).finally(() => {
      running = null
      if (isWanted) look()
    })
  }

  const drain = async (): Promise<void> => {
    while (isWanted && !stopped) {
      isWanted = false
      try {
        const { given, isAnyIdle, isAnyWaiting } = await dispatchOnce(platform, memory)
        // A full batch means there may be more.
        if (given >= store.batchSize) isWanted = true
        // Whatever came meanwhile is looked at, and whoever became free.
        else if (!isWanted) await rest({ given, isAnyIdle, isAnyWaiting })
      } catch (error) {
        platform.log.error({ err: error }, 'dispatching failed')
      }
    }
  }

  const rest = async ({ given, isAnyIdle, isAnyWaiting }: Look): Promise<void> => {
    if (!isAnyIdle) allBusyUntilMs = performance.now() + busyMs
    if (given === 0) mayWait = isAnyWaiting
    if (!isAnyWaiting) return
    tellOthers()
    if (given === 0 && isAnyIdle) await letSessionGiveWay(createCtx(platform, system))
  }

  /** A worker that becomes free elsewhere wakes the dispatcher there, which may have found nothing when it looked. */
  const tellOthers = (): void => {
    telling ??= setTimeout(() => {
      telling = null
      platform.bus.publish(leftWaitingSubject, null)
    }, tellMs)
  }

  const unsubscribe = [
    platform.bus.subscribe(queueSubject, wake),
    // A worker may have become free here while the word was on its way.
    platform.bus.subscribe(leftWaitingSubject, () => {
      if (!mayWait) wake('waiting')
    }),
  ]
  // What became available with time.
  const stopRounds = platform.rounds.add({
    name: 'dispatch',
    due: (_db, now) => [store.waitingTasks(now)],
    work: async () => {
      mayWait = true
      wake('free')
    },
  })
  // Within one server nothing is lost between whoever sends and whoever holds the socket.
  const isShared = platform.settings.DATABASE_URL !== undefined
  const resending = setInterval(() => {
    if (!isShared) return
    resendOverdue(platform).catch((error: unknown) =>
      platform.log.error({ err: error }, 'tasks that engines did not answer could not be sent again'),
    )
  }, resendMs)
  return {
    stop: async () => {
      stopped = true
      for (const leave of unsubscribe) leave()
      await stopRounds()
      clearInterval(resending)
      if (telling) clearTimeout(telling)
      await running
    },
  }
}

/** How much was given away, and whether anybody is idle or anything waits after that, as far as it looked. */
type Look = { given: number; isAnyIdle: boolean; isAnyWaiting: boolean }

/** Gives what waits to who is idle. */
const dispatchOnce = async (platform: Platform, memory: Memory): Promise<Look> => {
  const ctx = createCtx(platform, system)
  const now = ctx.now().toISOString()
  const { queue, matches } = await matchQueue(ctx, now, memory)
  if (matches.length === 0) return { given: 0, isAnyIdle: queue.is_any_idle, isAnyWaiting: queue.is_any_waiting }
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
    memory.turns.served(task.team_id)
    const worker = byTask.get(task.id)
    if (worker) ctx.emit({ subject: placedSubject(worker.engine_id), data: { task, public_key: worker.public_key } })
  }
  return {
    given: rows.length,
    isAnyIdle: queue.workers.length > rows.length,
    isAnyWaiting: queue.tasks.length > rows.length,
  }
}

/** When every worker that could take what waits is held by an idle session, the one that is idle longest ends. */
const letSessionGiveWay = async (ctx: Ctx<Actor>): Promise<void> => {
  const session = await store.findYieldingSession(ctx.db, ctx.now().toISOString())
  if (session) await apart(() => giveWay(ctx, session.id))
}

/**
 * Few tasks are read at first, since few workers become idle at a time. Teams whose slots are taken are left out and the
 * queue is read again, so that they do not hide the others.
 */
const matchQueue = async (ctx: Ctx<Actor>, now: string, { turns, setUps }: Memory) => {
  const full = new Set<string>()
  const keptSince = new Date(Date.parse(now) - keptMs).toISOString()
  for (let size: store.Looking['size'] = store.fewTasks; ; size = store.batchSize) {
    const queue = await store.findQueue(ctx.db, { now, keptSince, fullTeams: [...full], size })
    const { tasks, workers } = queue
    if (tasks.length === 0) return { queue, matches: [] }
    const slots = await slotsOf(
      ctx,
      tasks.map((task) => task.team_id),
    )
    const matches = matchTasks(
      turns.inOrder(tasks),
      workers.map((worker) => ({ ...worker, label: workerLabel(worker.engine_name, worker) })),
      slots,
      [setUps, ...(isContested(tasks, workers) ? [createShares(await store.findHoldings(ctx.db, keptSince))] : [])],
    )
    if (tasks.length < size || matches.length === workers.length) return { queue, matches }
    const taken = [...slots].filter(([, left]) => left === 0).map(([teamId]) => teamId)
    if (size === store.batchSize && (matches.length > 0 || taken.length === 0)) return { queue, matches }
    for (const teamId of taken) full.add(teamId)
  }
}

/** Somebody waits for a worker that is kept for somebody else: only then it matters who has how many. */
const isContested = (
  tasks: readonly { team_id: string }[],
  workers: readonly { kept_for: string | null }[],
): boolean => {
  const waiting = new Set(tasks.map((task) => task.team_id))
  return workers.some(({ kept_for }) => kept_for !== null && (waiting.size > 1 || !waiting.has(kept_for)))
}
