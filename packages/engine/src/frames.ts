// Dispatches each frame from the server, and sends the heartbeat.
import { rm } from 'node:fs/promises'
import type { EngineStatus, EngineToServer, ServerToEngine } from '@millrace/contract/engine-frames'
import { logError, withBoundary } from './error-boundary.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { Log } from './log.ts'
import { modelFolder } from './machine/system-info.ts'
import type { Pool } from './workers/pool.ts'

type Handling = { pool: Pool; lifecycle: Lifecycle; root: string; log: Log }

export const handleFrame = (frame: ServerToEngine, { pool, lifecycle, root, log }: Handling): void => {
  switch (frame.type) {
    case 'task_run':
      pool.run(frame.data)
      break
    case 'task_cancel':
      pool.cancel(frame.data.task, { force: frame.data.force ?? false, timeoutMs: frame.data.timeout ?? 10_000 })
      break
    case 'task_force_cancel':
      pool.cancel(frame.data.task, { force: true, timeoutMs: 0 })
      break
    case 'session_end':
      pool.endSession(frame.data.session_id)
      break
    case 'engine_drain':
      lifecycle.drain({ reason: 'drained' })
      break
    case 'engine_update':
      lifecycle.drain({ reason: 'restart', ...(frame.data.version && { version: frame.data.version }) })
      break
    case 'engine_stop':
      void lifecycle.stop()
      break
    case 'engine_delete_hfcache_repo':
      withBoundary(logError(log, 'model deletion'), deleteModel)(root, frame.data.repo_id, log)
      break
  }
}

export const heartbeatFrame = (engineId: string, status: EngineStatus, pool: Pool): EngineToServer => {
  const { statuses, tasks } = pool.heartbeat()
  return {
    type: 'engine_heartbeat',
    data: { engine_id: engineId, engine_status: status, worker_statuses: statuses, worker_tasks: tasks },
  }
}

const deleteModel = async (root: string, repoId: string, log: Log): Promise<void> => {
  const folder = modelFolder(root, repoId)
  if (!folder) return log('warn', 'invalid model repository name', { repoId })
  await rm(folder, { recursive: true, force: true })
  log('info', 'model repository deleted', { repoId })
}
