// Telemetry of an engine: stored with the engine, its workers and their tasks, and compared with the server's state of
// those tasks.
import type { EngineToServer } from '@millrace/contract/engine-frames'
import { taskStatus } from '@millrace/contract/task-status'
import { assignmentsOf, recordSample } from '#execution/tasks/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { setTelemetry } from './presence-store.ts'
import { reportEngine } from './reports.ts'
import { storedInfo } from './system-info.ts'
import { setWorkerTelemetry } from './worker-store.ts'

type Telemetry = Extract<EngineToServer, { type: 'engine_telemetry' }>['data']

type Send = (frame: object) => void

/** Values omitted from a report stay unchanged. */
const engineFacts = ({ engine_version: version, system_info: reported }: Telemetry) => {
  const named = version ?? reported?.engine_version
  const info = storedInfo(reported)
  return { ...(named ? { engine_version: named } : {}), ...(info ? { system_info: JSON.stringify(info) } : {}) }
}

export const engineTelemetry = async (
  ctx: Ctx<Actor>,
  engineId: string,
  data: Telemetry,
  send: Send,
): Promise<void> => {
  const now = ctx.now().toISOString()
  await setTelemetry(ctx.db, engineId, { now, ...engineFacts(data) })
  for (const worker of data.workers)
    await setWorkerTelemetry(ctx.db, engineId, {
      id: worker.id,
      last_seen_at: now,
      warm_apps: worker.warm_apps ?? [],
      ...(worker.system_info ? { system_info: JSON.stringify(worker.system_info) } : {}),
    })
  await cancelStale(ctx, engineId, data, send)
  await recordSamples(ctx, engineId, data, now)
  await reportEngine(ctx, engineId)
}

/** Cancels tasks on workers that the platform has already ended elsewhere; a completed task is never stale. */
const cancelStale = async (ctx: Ctx<Actor>, engineId: string, data: Telemetry, send: Send): Promise<void> => {
  const running = data.workers.flatMap((worker) =>
    worker.task_id ? [{ taskId: worker.task_id, workerId: worker.id }] : [],
  )
  if (running.length === 0) return
  const rows = await assignmentsOf(
    ctx,
    running.map((one) => one.taskId),
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  for (const { taskId, workerId } of running) {
    const row = byId.get(taskId)
    const ended = row && (row.status === taskStatus.failed || row.status === taskStatus.cancelled)
    const isEndedElsewhere =
      row && row.status < taskStatus.completed && (row.engine_id !== engineId || row.worker_id !== workerId)
    if (!row || ended || isEndedElsewhere) send({ type: 'task_force_cancel', data: { task: { id: taskId } } })
  }
}

/** One sample per running task of this engine. Samples of other tasks are ignored. */
const recordSamples = async (ctx: Ctx<Actor>, engineId: string, data: Telemetry, now: string): Promise<void> => {
  const { cpus, ram, gpus, volumes } = data.system_info ?? {}
  const resources = JSON.stringify({ cpus, ram, gpus, volumes })
  for (const worker of data.workers) {
    if (!worker.task_id) continue
    await recordSample(ctx, {
      taskId: worker.task_id,
      engineId,
      workerId: worker.id,
      resources,
      info: JSON.stringify(worker.system_info ?? {}),
      at: now,
    })
  }
}
