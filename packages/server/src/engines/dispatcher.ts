// Gives waiting tasks to idle workers: woken by news, with a slow sweep as the safety net. The task row and the worker
// row change in one transaction; the frame goes out after it.
import type { ServerToEngine } from '@millrace/contract/engine-frames'
import { guest } from '../core/actor.ts'
import { createCtx, type Platform } from '../core/ctx.ts'
import { engineFrames, queueSubject, reportStatus, statusEvent, type TaskRow } from '../tasks/service.ts'
import { matchTasks } from './matching.ts'
import { runFrame } from './run-frame.ts'
import * as store from './store.ts'

const batchSize = 64
const sweepMs = 1_000

export type Dispatcher = { stop(): Promise<void> }

export const startDispatcher = (platform: Platform): Dispatcher => {
  let wanted = false
  let running: Promise<void> | null = null
  let stopped = false

  const wake = (): void => {
    wanted = true
    if (running || stopped) return
    running = drain().finally(() => {
      running = null
      if (wanted) wake()
    })
  }

  const drain = async (): Promise<void> => {
    while (wanted && !stopped) {
      wanted = false
      try {
        const sent = await dispatchOnce(platform)
        // A full batch means there may be more.
        if (sent >= batchSize) wanted = true
      } catch (error) {
        platform.log.error({ err: error }, 'dispatching failed')
      }
    }
  }

  const unsubscribe = platform.bus.subscribe(queueSubject, wake)
  const timer = setInterval(wake, sweepMs)
  return {
    stop: async () => {
      stopped = true
      unsubscribe()
      clearInterval(timer)
      await running
    },
  }
}

type Idle = Awaited<ReturnType<typeof store.lockIdleWorkers>>[number]

export const dispatchOnce = async (platform: Platform): Promise<number> => {
  const ctx = createCtx(platform, guest)
  const assigned = await ctx.tx(async (ctx) => {
    const workers = await store.lockIdleWorkers(ctx.db)
    if (workers.length === 0) return []
    const now = ctx.now().toISOString()
    const tasks = await store.lockQueuedTasks(ctx.db, now, batchSize)
    if (tasks.length === 0) return []
    const slots = await store.concurrencyOf(ctx.db, [...new Set(tasks.map((task) => task.team_id))])
    const sessions = await sessionWorkers(ctx.db, tasks)
    const matches = matchTasks(
      tasks.map((task) => ({ ...task, session_worker_id: sessions.get(task.session_id ?? '') ?? null })),
      workers.map((worker) => ({ ...worker, name: worker.engine_name })),
      slots,
    )
    if (matches.length === 0) return []
    const rows = await store.assignTasks(
      ctx.db,
      matches.map(({ task, worker }) => ({
        taskId: task.id,
        workerId: worker.id,
        engineId: worker.engine_id,
        event: statusEvent(3, now),
      })),
      now,
    )
    await store.reserveWorkers(
      ctx.db,
      rows.map((row) => ({
        workerId: row.worker_id ?? '',
        taskId: row.id,
        appId: row.app_id,
        versionId: row.app_version_id,
        sessionId: row.session_id,
      })),
      now,
    )
    for (const row of rows) {
      if (row.session_id !== null)
        await store.bindSession(ctx.db, row.session_id, row.engine_id ?? '', row.worker_id ?? '')
      reportStatus(ctx, row)
    }
    const byId = new Map<string, Idle>(workers.map((worker) => [worker.id, worker]))
    return rows.flatMap((task) => {
      const worker = byId.get(task.worker_id ?? '')
      return worker ? [{ task, worker }] : []
    })
  })
  await Promise.all(assigned.map(({ task, worker }) => send(platform, task, worker)))
  return assigned.length
}

/** A frame that cannot be made (a vanished version, a secret that does not open) fails its task, not the dispatcher. */
const send = async (platform: Platform, task: TaskRow, worker: Idle): Promise<void> => {
  const ctx = createCtx(platform, guest)
  const frame: ServerToEngine | null = await runFrame(ctx, task, worker)
  if (frame) ctx.emit({ subject: engineFrames(worker.engine_id), data: frame })
}

const sessionWorkers = async (db: Platform['db'], tasks: readonly TaskRow[]) => {
  const ids = tasks.flatMap((task) => task.session_id ?? [])
  if (ids.length === 0) return new Map<string, string>()
  const rows = await db.selectFrom('app_sessions').select(['id', 'worker_id']).where('id', 'in', ids).execute()
  return new Map(rows.flatMap((row) => (row.worker_id === null ? [] : [[row.id, row.worker_id] as const])))
}
