// Frames from another server to an engine may be lost in transit. The server that holds the socket derives from the
// rows which orders the engine must have received, and sends those that this connection has not sent.
import type { ServerToEngine } from '@millrace/contract/engine-frames'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { closeCodes } from '#platform/ws/machine-sockets.ts'
import { connectionsOf, type EngineConnection } from './connections.ts'
import * as store from './orders-store.ts'

/** A newly connected engine has not reported its status yet: it may already follow the order. */
const steadyAfterMs = 3_000
/** Ends of older sessions were delivered, or the engine has noticed them itself. */
const sessionsSinceMs = 10 * 60_000

type ConnectedEngine = Awaited<ReturnType<typeof store.findConnectedEngines>>[number]

/** The order that leads to this status. */
const stateFrame = ({ status, own_drain, asked_update }: ConnectedEngine): ServerToEngine | null => {
  if (status === 'draining' && !own_drain) return { type: 'engine_drain', data: {} }
  if (status === 'stopping') return { type: 'engine_stop', data: {} }
  if (status === 'restarting' && asked_update !== null)
    return { type: 'engine_update', data: asked_update as { version?: string; restart_only?: boolean } }
  return null
}

/** Closes an outdated connection and returns false. */
const isCurrent = (connection: EngineConnection, engine: ConnectedEngine): boolean => {
  if (engine.deleted_at !== null) connection.close(closeCodes.refused, 'the engine was deleted')
  else if (engine.connection_number > connection.number)
    connection.close(closeCodes.replaced, 'replaced by a newer connection')
  else return true
  return false
}

/** For one engine, or for all engines of this server. */
export const repeatMissed = async (ctx: Ctx<Actor>, only?: string): Promise<void> => {
  const connections = new Map([...connectionsOf(ctx)].filter(([id]) => only === undefined || id === only))
  if (connections.size === 0) return
  // Read before the rows, so that frames sent meanwhile are not repeated and tasks that end meanwhile do not count as
  // given up.
  const before = new Map([...connections].map(([id, { outgoing }]) => [id, outgoing.current()]))
  const engines = new Map(
    (await store.findConnectedEngines(ctx.db, [...connections.keys()])).map((row) => [row.id, row]),
  )
  for (const [id, connection] of connections) {
    const engine = engines.get(id)
    if (!engine || !isCurrent(connection, engine)) {
      connections.delete(id)
      continue
    }
    const frame = stateFrame(engine)
    if (performance.now() - connection.sinceMs < steadyAfterMs) continue
    if (frame) connection.outgoing.sendOnce(frame)
    else connection.outgoing.forgetState()
  }
  await repeatCancels(ctx, connections)
  await repeatSessionEnds(ctx, connections)
  await cancelEnded(ctx, connections, before)
}

type Connections = ReadonlyMap<string, EngineConnection>

const repeatCancels = async (ctx: Ctx<Actor>, connections: Connections): Promise<void> => {
  const rows = await store.findCancelling(ctx.db, [...connections.keys()], ctx.now().toISOString())
  for (const { id, attempt, engine_id, left_ms } of rows)
    connections.get(engine_id)?.outgoing.sendOnce({
      type: 'task_cancel',
      data: { task: { id, attempt }, force: false, timeout: left_ms },
    })
}

const repeatSessionEnds = async (ctx: Ctx<Actor>, connections: Connections): Promise<void> => {
  const since = new Date(ctx.now().getTime() - sessionsSinceMs).toISOString()
  for (const { id, engine_id, worker_id } of await store.findEndedSessions(ctx.db, [...connections.keys()], since))
    connections.get(engine_id)?.outgoing.sendOnce({ type: 'session_end', data: { session_id: id, worker_id } })
}

/**
 * Cancels tasks that have ended on the server (canceled past the deadline, or failed) while the engine continues them.
 */
const cancelEnded = async (
  ctx: Ctx<Actor>,
  connections: Connections,
  before: ReadonlyMap<string, ReadonlyMap<string, number>>,
): Promise<void> => {
  const ids = [...connections.keys()].flatMap((id) => [...(before.get(id)?.keys() ?? [])])
  if (ids.length === 0) return
  const live = new Map((await store.findLive(ctx.db, ids)).map(({ id, attempt }) => [id, attempt]))
  for (const [engineId, { outgoing }] of connections)
    for (const [id, attempt] of before.get(engineId) ?? [])
      if (live.get(id) !== attempt && outgoing.attemptOf(id) === attempt) {
        outgoing.sendOnce({ type: 'task_force_cancel', data: { task: { id, attempt } } })
        outgoing.forget(id)
      }
}
