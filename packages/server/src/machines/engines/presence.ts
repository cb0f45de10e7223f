// The presence of engines and its effects on workers and tasks. A closed socket retires nothing by itself: the engine
// continues to work and may reconnect.
import type { EngineToServer, WorkerStatus } from '@millrace/contract/engine-frames'
import { queueEvent } from '#execution/tasks/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { finalize, requeueUnaccepted } from './liveness.ts'
import * as store from './presence-store.ts'
import { reportEngine } from './reports.ts'
import { lockEngine } from './store.ts'
import { followStatuses, resetWorkersOf } from './worker-store.ts'

type Heartbeat = Extract<EngineToServer, { type: 'engine_heartbeat' }>['data']

/** The number of this connection, or null if the engine was stopped permanently and must register first. */
export const connectEngine = (ctx: Ctx<Actor>, engineId: string): Promise<number | null> =>
  ctx.tx(async (ctx) => {
    const engine = await lockEngine(ctx.db, engineId)
    if (!engine) return null
    // Only an engine that was stopped because of a disconnection may reconnect.
    if (engine.status === 'stopping') return null
    if (engine.status === 'stopped' && engine.stop_reason !== 'disconnected') return null
    const now = ctx.now().toISOString()
    const number = engine.connection_number + 1
    const status = engine.status === 'draining' ? 'draining' : 'running'
    await store.setConnected(ctx.db, engineId, { status, serverId: ctx.server.id, number, now })
    await resetWorkersOf(ctx.db, engineId, now)
    await reportEngine(ctx, engineId)
    ctx.emit(queueEvent('free'))
    return number
  })

export const disconnectEngine = async (ctx: Ctx<Actor>, engineId: string, connection: number): Promise<void> => {
  const now = ctx.now().toISOString()
  await ctx.tx(async (ctx) => {
    const changed = await store.setDisconnected(ctx.db, engineId, connection, now)
    // The stopping engine is gone now.
    if (changed?.status === 'stopping') {
      await requeueUnaccepted(ctx, engineId)
      await finalize(ctx, engineId, changed.stop_reason)
    } else if (changed) await reportEngine(ctx, engineId)
  })
}

/** Marks engines as disconnected whose server no longer exists; they will reconnect. */
export const forgetConnections = async (ctx: Ctx<Actor>): Promise<void> => {
  const lost = await store.disconnectAbandoned(ctx.db, ctx.now().toISOString())
  for (const { id } of lost) await reportEngine(ctx, id)
}

/**
 * Translates the status that an engine reports for a worker. A worker that the engine itself reserved counts as busy.
 */
const statusOf: Record<WorkerStatus, 'idle' | 'busy' | 'inactive'> = {
  idle: 'idle',
  busy: 'busy',
  reserved: 'busy',
  inactive: 'inactive',
}

export const engineHeartbeat = async (ctx: Ctx<Actor>, engineId: string, data: Heartbeat): Promise<void> => {
  const now = ctx.now().toISOString()
  const engine = await store.touchSeen(ctx.db, engineId, now)
  // The workers of a stopped engine are retired. Later reports do not change them.
  if (engine?.status === 'stopping' || engine?.status === 'stopped') return
  const reported = Object.entries(data.worker_statuses).map(([id, status]) => [id, statusOf[status]] as const)
  if (await followStatuses(ctx.db, engineId, reported, now)) ctx.emit(queueEvent('free'))
  const { engine_status: status } = data
  if (!status || !(await store.followReported(ctx.db, engineId, status, now))) return
  await reportEngine(ctx, engineId)
  if (status === 'running') ctx.emit(queueEvent('free'))
}
