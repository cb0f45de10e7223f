// Gives waiting tasks to idle workers: woken by news, with a slow sweep as the safety net. The task row and the worker
// row change in one statement; the frame goes out after it, and nobody waits for that: making it may ask a service for a
// token. Tasks that were given to a worker when they were made are only sent.
import { taskStatus } from '@millrace/contract/task-status'
import { giveWay } from '../app-sessions/service.ts'
import { type Actor, system } from '../core/actor.ts'
import { type Ctx, createCtx, type Platform } from '../core/ctx.ts'
import { apart, inWork } from '../db/work.ts'
import {
  engineFrames,
  type QueueNews,
  queueSubject,
  rememberSent,
  reportStatus,
  type SentTask,
  statusEvent,
} from '../tasks/service.ts'
import { matchTasks, workerLabel } from './matching.ts'
import { runFrame } from './run-frame.ts'
import { createSetUps, type SetUps } from './set-ups.ts'
import { createShares, keptMs } from './shares.ts'
import { slotsOf } from './slots.ts'
import * as store from './store.ts'
import { leftWaitingSubject, type PlacedTask, placedSubject } from './subjects.ts'
import { createTurns, type Turns } from './turns.ts'

const sweepMs = 1_000
/** An engine answers a task at once; one that did not for this long may not have got it. */
const overdueMs = 4_000
const resendMs = 4_000

/** What a dispatcher remembers of its earlier looks. */
type Memory = { turns: Turns; setUps: SetUps }

/** Whoever wakes it, it works for all of them, and waits behind nobody's questions. */
const ownLane = { kind: 'dispatch', tenant: null } as const

export type Dispatcher = { stop(): Promise<void> }

export const startDispatcher = (platform: Platform): Dispatcher => {
  let wanted: QueueNews | null = null
  /** False once a look found nothing at all: a worker that becomes free then has nothing to be asked for. */
  let mayWait = true
  let toldOthers = false
  let running: Promise<void> | null = null
  let stopped = false
  const sending = new Set<Promise<void>>()
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
        const sent = await dispatchOnce(platform, { news, ...memory }, sendPlaced)
        // A full batch means there may be more.
        if (sent >= store.batchSize) wanted = 'waiting'
        else if (sent === 0 && !wanted) await lookWhetherAnythingWaits()
      } catch (error) {
        platform.log.error({ err: error }, 'dispatching failed')
      }
    }
  }

  const sendPlaced = ({ task, public_key }: PlacedTask): void => {
    const sent = apart(() => send(createCtx(platform, system), task, { public_key }))
      .catch((error: unknown) => platform.log.error({ err: error, task: task.id }, 'a task could not be sent'))
      .finally(() => sending.delete(sent))
    sending.add(sent)
  }

  const lookWhetherAnythingWaits = async (): Promise<void> => {
    const now = platform.now().toISOString()
    const found = await store.isAnythingWaiting(platform.db, now)
    if (found) await letSessionGiveWay(createCtx(platform, system), now)
    // A worker that becomes free elsewhere wakes the dispatcher there, which may have found nothing when it looked.
    if (found && !toldOthers) platform.bus.publish(leftWaitingSubject, null)
    toldOthers = found
    if (!wanted) mayWait = found
  }

  const unsubscribe = [
    platform.bus.subscribe(queueSubject, wake),
    platform.bus.subscribe(placedSubject, sendPlaced),
    platform.bus.subscribe(leftWaitingSubject, () => {
      mayWait = true
    }),
  ]
  // What became available with time: nobody says so.
  const sweep = async (): Promise<void> => {
    if (!(await store.isAnythingWaiting(platform.db, platform.now().toISOString())) || stopped) return
    mayWait = true
    wake('free')
  }
  const timer = setInterval(() => {
    inWork(ownLane, sweep).catch((error: unknown) =>
      platform.log.error({ err: error }, 'the queue could not be looked at'),
    )
  }, sweepMs)
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
      clearInterval(timer)
      clearInterval(resending)
      await Promise.all([running, ...sending])
    },
  }
}

/** Gives what waits to who is idle; what it gave away is handed to `send`, which nobody waits for here. */
const dispatchOnce = async (
  platform: Platform,
  { news, ...memory }: Memory & { news: QueueNews },
  send: (placed: PlacedTask) => void,
): Promise<number> => {
  const ctx = createCtx(platform, system)
  const now = ctx.now().toISOString()
  const [workers, matches] = await matchQueue(ctx, { now, news, ...memory })
  if (matches.length === 0) return 0
  const rows = await store.assignTasks(
    ctx.db,
    matches.map(({ task, worker }) => ({
      taskId: task.id,
      workerId: worker.id,
      event: statusEvent(taskStatus.dispatched, now),
    })),
    now,
  )
  const byId = new Map(workers.map((worker) => [worker.id, worker]))
  for (const task of rows) {
    memory.turns.served(task.team_id)
    const worker = byId.get(task.worker_id ?? '')
    if (worker) send({ task, public_key: worker.public_key })
  }
  return rows.length
}

/** When every worker that could take what waits is held by an idle session, the one that is idle longest ends. */
const letSessionGiveWay = async (ctx: Ctx<Actor>, now: string): Promise<void> => {
  const session = await store.findYieldingSession(ctx.db, now)
  if (session) await apart(() => giveWay(ctx, session.id))
}

/** Sends a task to the worker that its row names. */
const send = async (ctx: Ctx<Actor>, task: SentTask, engine: { public_key: string }): Promise<void> => {
  rememberSent(ctx, task)
  reportStatus(ctx, task)
  const frame = await runFrame(ctx, task, engine)
  if (frame && task.engine_id !== null) ctx.emit({ subject: engineFrames(task.engine_id), data: frame })
}

/** Teams whose slots are taken are left out and the queue is read again, so that they do not hide the others. */
const matchQueue = async (ctx: Ctx<Actor>, { now, news, turns, setUps }: Memory & { now: string; news: QueueNews }) => {
  const full = new Set<string>()
  const keptSince = new Date(Date.parse(now) - keptMs).toISOString()
  for (;;) {
    const queued = () => store.findQueuedTasks(ctx.db, now, [...full])
    // A new task is asked for together with a worker for it; work that ended mostly leaves nothing waiting, and then one
    // question is enough.
    const [tasks, workers] =
      news === 'waiting'
        ? await Promise.all([queued(), store.findIdleWorkers(ctx.db, keptSince)])
        : await queued().then(
            async (tasks) => [tasks, tasks.length === 0 ? [] : await store.findIdleWorkers(ctx.db, keptSince)] as const,
          )
    if (tasks.length === 0 || workers.length === 0) return [workers, []] as const
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
    if (matches.length > 0 || tasks.length < store.batchSize || taken.length === 0) return [workers, matches] as const
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

/** A frame that was lost between two servers is sent again by the one that holds the engine's socket. */
const resendOverdue = async (platform: Platform): Promise<void> => {
  const before = new Date(platform.now().getTime() - overdueMs).toISOString()
  const engines = await store.findEnginesNotAnswering(platform.db, platform.server.id, before)
  for (const { id } of engines) await resendUnaccepted(platform, id)
}

/** What was sent to an engine that then could not be reached is sent again; an engine takes one attempt only once. */
export const resendUnaccepted = async (platform: Platform, engineId: string): Promise<void> => {
  const ctx = createCtx(platform, system)
  const send = async (task: SentTask & { public_key: string }): Promise<void> => {
    const frame = await runFrame(ctx, task, task)
    if (frame) ctx.emit({ subject: engineFrames(engineId), data: frame })
  }
  // Together: one that waits for somebody's token must not hold up the others.
  await Promise.all((await store.findUnaccepted(ctx.db, engineId)).map(send))
}
