// Gives waiting tasks to idle workers: woken by news, with the rounds as the safety net. The task row and the worker
// row change in one statement; the server that holds the engine's socket hears of it and sends the task (sending.ts).
import { taskStatus } from '@millrace/contract/task-status'
import { giveWay } from '../app-sessions/service.ts'
import { type Actor, system } from '../core/actor.ts'
import { type Ctx, createCtx, type Platform } from '../core/ctx.ts'
import { apart, inWork } from '../db/work.ts'
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

/** What a dispatcher remembers of its earlier looks. */
type Memory = { turns: Turns; setUps: SetUps }

/** Whoever wakes it, it works for all of them, and waits behind nobody's questions. */
const ownLane = { kind: 'dispatch', tenant: null } as const

export type Dispatcher = { stop(): Promise<void> }

export const startDispatcher = (platform: Platform): Dispatcher => {
  let wanted: QueueNews | null = null
  /** False once a look found nothing at all: a worker that becomes free then has nothing to be asked for. */
  let mayWait = true
  let telling: NodeJS.Timeout | null = null
  let running: Promise<void> | null = null
  let stopped = false
  const memory: Memory = { turns: createTurns(), setUps: createSetUps(() => platform.now().getTime()) }

  const wake = (news: QueueNews): void => {
    if (news === 'waiting') mayWait = true
    if (!mayWait) return
    if (wanted !== 'waiting') wanted = news
    if (running || stopped) return
    running = inWork(ownLane, drain).finally(() => {
      running = null
      if (wanted) wake(wanted)
    })
  }

  const drain = async (): Promise<void> => {
    while (wanted && !stopped) {
      const news = wanted
      wanted = null
      try {
        const { given, isAnyIdle } = await dispatchOnce(platform, { news, ...memory })
        // A full batch means there may be more.
        if (given >= store.batchSize) wanted = 'waiting'
        else if (given === 0 && !wanted) await lookWhetherAnythingWaits(isAnyIdle)
      } catch (error) {
        platform.log.error({ err: error }, 'dispatching failed')
      }
    }
  }

  const lookWhetherAnythingWaits = async (isAnyIdle: boolean): Promise<void> => {
    const now = platform.now().toISOString()
    // While everybody works there is nothing to find out: whoever is done says so.
    const found = !isAnyIdle || (await store.isAnythingWaiting(platform.db, now))
    if (found && isAnyIdle) await letSessionGiveWay(createCtx(platform, system), now)
    if (found) tellOthers()
    if (!wanted) mayWait = found
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

/** Gives what waits to who is idle: how much it gave, and whether anybody was idle at all, as far as it looked. */
const dispatchOnce = async (
  platform: Platform,
  { news, ...memory }: Memory & { news: QueueNews },
): Promise<{ given: number; isAnyIdle: boolean }> => {
  const ctx = createCtx(platform, system)
  const now = ctx.now().toISOString()
  const { workers, matches } = await matchQueue(ctx, { now, news, ...memory })
  if (matches.length === 0) return { given: 0, isAnyIdle: workers?.length !== 0 }
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
  return { given: rows.length, isAnyIdle: true }
}

/** When every worker that could take what waits is held by an idle session, the one that is idle longest ends. */
const letSessionGiveWay = async (ctx: Ctx<Actor>, now: string): Promise<void> => {
  const session = await store.findYieldingSession(ctx.db, now)
  if (session) await apart(() => giveWay(ctx, session.id))
}

/**
 * A new task is asked for behind a worker for it: while everybody works, that is the only question. Work that ended mostly
 * leaves nothing waiting, and then the queue is. Few tasks are read at first, since few workers become idle at a time. Teams
 * whose slots are taken are left out and the queue is read again, so that they do not hide the others.
 */
const matchQueue = async (ctx: Ctx<Actor>, { now, news, turns, setUps }: Memory & { now: string; news: QueueNews }) => {
  const full = new Set<string>()
  const keptSince = new Date(Date.parse(now) - keptMs).toISOString()
  const idle = () => store.findIdleWorkers(ctx.db, keptSince)
  let workers = news === 'waiting' ? await idle() : undefined
  for (let size: number = store.fewTasks; workers?.length !== 0; ) {
    const tasks = await store.findQueuedTasks(ctx.db, now, [...full], size)
    if (tasks.length === 0) break
    workers ??= await idle()
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
    const taken = [...slots].filter(([, left]) => left === 0).map(([teamId]) => teamId)
    if (tasks.length < size || matches.length === workers.length) return { workers, matches }
    if (size === store.batchSize && (matches.length > 0 || taken.length === 0)) return { workers, matches }
    size = store.batchSize
    for (const teamId of taken) full.add(teamId)
  }
  return { workers, matches: [] }
}

/** Somebody waits for a worker that is kept for somebody else: only then it matters who has how many. */
const isContested = (
  tasks: readonly { team_id: string }[],
  workers: readonly { kept_for: string | null }[],
): boolean => {
  const waiting = new Set(tasks.map((task) => task.team_id))
  return workers.some(({ kept_for }) => kept_for !== null && (waiting.size > 1 || !waiting.has(kept_for)))
}
