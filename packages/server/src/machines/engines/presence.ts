// Whether an engine is there, and what that means for its workers and tasks. A dropped socket retires nothing by
// itself: the engine keeps working and may come back.
import type { EngineToServer, WorkerStatus } from '@millrace/contract/engine-frames'
import { queueNews } from '#execution/tasks/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { finalize, giveBackUnbegun } from './liveness.ts'
import * as store from './presence-store.ts'
import { reportEngine } from './reports.ts'
import { lockEngine } from './store.ts'
import { followStatuses, welcomeWorkersOf } from './worker-store.ts'

type Heartbeat = Extract<EngineToServer, { type: 'engine_heartbeat' }>['data']

/** The number of this connection, or null when the engine was stopped for good and must register first. */
export const connectEngine = (ctx: Ctx<Actor>, engineId: string): Promise<number | null> =>
  ctx.tx(async (ctx) => {
    const engine = await lockEngine(ctx.db, engineId)
    if (!engine) return null
    // Only a stop that was a mere disconnection ends by reconnecting.
    if (engine.status === 'stopping') return null
    if (engine.status === 'stopped' && engine.stop_reason !== 'disconnected') return null
    const now = ctx.now().toISOString()
    const number = engine.connection_number + 1
    const status = engine.status === 'draining' ? 'draining' : 'running'
    await store.setConnected(ctx.db, engineId, { status, serverId: ctx.server.id, number, now })
    await welcomeWorkersOf(ctx.db, engineId, now)
    await reportEngine(ctx, engineId)
    ctx.emit(queueNews('free'))
    return number
  })

export const disconnectEngine = async (ctx: Ctx<Actor>, engineId: string, connection: number): Promise<void> => {
  const now = ctx.now().toISOString()
  await ctx.tx(async (ctx) => {
    const changed = await store.setDisconnected(ctx.db, engineId, connection, now)
    // One that was on its way out is gone now.
    if (changed?.status === 'stopping') {
      await giveBackUnbegun(ctx, engineId)
      await finalize(ctx, engineId, changed.stop_reason)
    } else if (changed) await reportEngine(ctx, engineId)
  })
}

/** Of a server that is gone nobody holds a socket, whatever the rows say; its engines dial again. */
export const forgetConnections = async (ctx: Ctx<Actor>): Promise<void> => {
  const lost = await store.disconnectAbandoned(ctx.db, ctx.now().toISOString())
  for (const { id } of lost) await reportEngine(ctx, id)
}

/** What an engine's word about a worker means here: one it has reserved for something works, as far as we can tell. */
const takenAs: Record<WorkerStatus, 'idle' | 'busy' | 'inactive'> = {
  idle: 'idle',
  busy: 'busy',
  reserved: 'busy',
  inactive: 'inactive',
}

export const engineHeartbeat = async (ctx: Ctx<Actor>, engineId: string, data: Heartbeat): Promise<void> => {
  const now = ctx.now().toISOString()
  const engine = await store.touchSeen(ctx.db, engineId, now)
  // The workers of an engine that was stopped have retired, whatever it still says of them.
  if (engine?.status === 'stopping' || engine?.status === 'stopped') return
  const reported = Object.entries(data.worker_statuses).map(([id, status]) => [id, takenAs[status]] as const)
  if (await followStatuses(ctx.db, engineId, reported, now)) ctx.emit(queueNews('free'))
  const { engine_status: status } = data
  if (!status || !(await store.followReported(ctx.db, engineId, status, now))) return
  await reportEngine(ctx, engineId)
  if (status === 'running') ctx.emit(queueNews('free'))
}
