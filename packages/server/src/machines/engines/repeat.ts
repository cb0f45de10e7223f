// What was said to an engine from another server may have been lost on the way. Whoever holds the socket reads in the rows
// what the engine must have been told, and says what this connection has not said yet.
import type { ServerToEngine } from '@millrace/contract/engine-frames'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { closeCodes } from '#platform/ws/machine-sockets.ts'
import { type EngineLine, linesOf } from './lines.ts'
import * as store from './repeat-store.ts'

/** An engine that has just connected has not said yet how it stands: it may be on its way already. */
const steadyAfterMs = 3_000
/** Sessions that ended longer ago have been told of, or their engine has noticed by itself. */
const sessionsSinceMs = 10 * 60_000

type HeldEngine = Awaited<ReturnType<typeof store.findHeldEngines>>[number]

/** What the engine must have been told to be in this state. */
const stateFrame = ({ status, own_drain, asked_update }: HeldEngine): ServerToEngine | null => {
  if (status === 'draining' && !own_drain) return { type: 'engine_drain', data: {} }
  if (status === 'stopping') return { type: 'engine_stop', data: {} }
  if (status === 'restarting' && asked_update !== null)
    return { type: 'engine_update', data: asked_update as { version?: string; restart_only?: boolean } }
  return null
}

/** False when this connection is not the engine's any more: it is let go. */
const isStanding = (line: EngineLine, engine: HeldEngine): boolean => {
  if (engine.deleted_at !== null) line.close(closeCodes.refused, 'the engine was deleted')
  else if (engine.connection_number > line.connection) line.close(closeCodes.replaced, 'replaced by a newer connection')
  else return true
  return false
}

/** For one engine, or for all that this server holds. */
export const repeatMissed = async (ctx: Ctx<Actor>, only?: string): Promise<void> => {
  const lines = new Map([...linesOf(ctx)].filter(([id]) => only === undefined || id === only))
  if (lines.size === 0) return
  // What is told while the rows are read is not repeated, and what ends meanwhile is not taken for given up.
  const given = new Map([...lines].map(([id, { outgoing }]) => [id, outgoing.current()]))
  const engines = new Map((await store.findHeldEngines(ctx.db, [...lines.keys()])).map((row) => [row.id, row]))
  for (const [id, line] of lines) {
    const engine = engines.get(id)
    if (!engine || !isStanding(line, engine)) {
      lines.delete(id)
      continue
    }
    const frame = stateFrame(engine)
    if (performance.now() - line.sinceMs < steadyAfterMs) continue
    if (frame) line.outgoing.tellOnce(frame)
    else line.outgoing.forgetState()
  }
  await repeatCancels(ctx, lines)
  await repeatSessionEnds(ctx, lines)
  await giveUpEnded(ctx, lines, given)
}

type Lines = ReadonlyMap<string, EngineLine>

const repeatCancels = async (ctx: Ctx<Actor>, lines: Lines): Promise<void> => {
  const rows = await store.findCancelling(ctx.db, [...lines.keys()], ctx.now().toISOString())
  for (const { id, attempt, engine_id, left_ms } of rows)
    lines.get(engine_id)?.outgoing.tellOnce({
      type: 'task_cancel',
      data: { task: { id, attempt }, force: false, timeout: left_ms },
    })
}

const repeatSessionEnds = async (ctx: Ctx<Actor>, lines: Lines): Promise<void> => {
  const since = new Date(ctx.now().getTime() - sessionsSinceMs).toISOString()
  for (const { id, engine_id, worker_id } of await store.findEndedSessions(ctx.db, [...lines.keys()], since))
    lines.get(engine_id)?.outgoing.tellOnce({ type: 'session_end', data: { session_id: id, worker_id } })
}

/** What ended here while the engine works on: cancelled past its deadline, or failed by the server. */
const giveUpEnded = async (
  ctx: Ctx<Actor>,
  lines: Lines,
  given: ReadonlyMap<string, ReadonlyMap<string, number>>,
): Promise<void> => {
  const ids = [...lines.keys()].flatMap((id) => [...(given.get(id)?.keys() ?? [])])
  if (ids.length === 0) return
  const live = new Map((await store.findLive(ctx.db, ids)).map(({ id, attempt }) => [id, attempt]))
  for (const [engineId, { outgoing }] of lines)
    for (const [id, attempt] of given.get(engineId) ?? [])
      if (live.get(id) !== attempt && outgoing.attemptOf(id) === attempt) {
        outgoing.tellOnce({ type: 'task_force_cancel', data: { task: { id, attempt } } })
        outgoing.forget(id)
      }
}
