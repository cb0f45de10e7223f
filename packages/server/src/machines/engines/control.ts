// Operations of users on engines (drain, update, restart, stop, rename, delete) and their legal status transitions.
import type { ServerToEngine } from '@millrace/contract/engine-frames'
import { engineMoves, mayMoveEngine } from '@millrace/contract/engine-status'
import { engineRightsOf, revokeKeysFromSource } from '#accounts/access/service.ts'
import { engineFrames } from '#execution/tasks/service.ts'
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { assertWritable } from '#platform/tenancy/private-access.ts'
import { machineGone } from '#platform/ws/machine-sockets.ts'
import { describeEngine } from './describe.ts'
import { beginStop, finalize } from './liveness.ts'
import { reportEngine } from './reports.ts'
import * as store from './store.ts'
import { drainedEngines } from './sweep-store.ts'
import { deleteWorkersOf } from './worker-store.ts'

/**
 * Access of an administrator to a member's private engine, or to an engine in a workspace of the organization, is
 * audited.
 */
export const lockWritableEngine = async (ctx: Ctx<Member>, id: string): Promise<store.EngineRow> => {
  const found = await store.findEngine(ctx.db, id)
  const locked = found && (await store.lockEngine(ctx.db, found.id))
  const row = await assertWritable(ctx, locked && { ...locked, team_org_id: found.team_org_id }, 'engine')
  const rights = await engineRightsOf(ctx)
  rights.assertMayBe(row.id)
  return row
}

export const shown = async (ctx: Ctx<Member>, id: string) => {
  const row = await store.findEngine(ctx.db, id)
  if (!row) throw fail('not_found', 'Engine not found')
  return describeEngine(ctx.db, row)
}

const setStatus = async (
  ctx: Ctx<Actor>,
  id: string,
  status: store.EngineRow['status'],
  requested?: object,
): Promise<void> => {
  const asked_update = requested === undefined ? null : JSON.stringify(requested)
  await store.changeEngine(ctx.db, id, ctx.now(), { status, own_drain: false, asked_update })
  await reportEngine(ctx, id)
}

const isStopping = (engine: store.EngineRow): boolean => engine.status === 'stopping' || engine.status === 'stopped'

const needsConnection = (engine: store.EngineRow): void => {
  if (!engine.connected) throw fail('engine_offline', 'The engine is not connected')
}

const send = (ctx: Ctx<Actor>, engineId: string, frame: ServerToEngine): void =>
  ctx.emit({ subject: engineFrames(engineId), data: frame })

export const drain = (ctx: Ctx<Member>, id: string) =>
  ctx.tx(async (ctx) => {
    const engine = await lockWritableEngine(ctx, id)
    if (!isStopping(engine) && (engine.status !== 'draining' || engine.own_drain)) {
      needsConnection(engine)
      await setStatus(ctx, engine.id, 'draining')
      send(ctx, engine.id, { type: 'engine_drain', data: {} })
      await recordAudit(ctx, 'engine.drained', audited(engine))
    }
    return shown(ctx, engine.id)
  })

export const update = (ctx: Ctx<Member>, id: string, options: { version?: string; restartOnly: boolean }) =>
  ctx.tx(async (ctx) => {
    const engine = await lockWritableEngine(ctx, id)
    needsConnection(engine)
    if (!mayMoveEngine(engineMoves.restartAsked, engine.status))
      throw fail('invalid_state', `A ${engine.status} engine cannot be restarted`)
    const requested = {
      ...(options.version === undefined ? {} : { version: options.version }),
      ...(options.restartOnly ? { restart_only: true } : {}),
    }
    await setStatus(ctx, engine.id, 'restarting', requested)
    send(ctx, engine.id, { type: 'engine_update', data: requested })
    return shown(ctx, engine.id)
  })

/** Audited in the engine's own workspace, for every actor. */
const audited = ({ id, team_id }: store.EngineRow) => ({ resourceType: 'engine', resourceId: id, teamId: team_id })

/** Stops the engine. Its tasks have already ended here. */
const sendStop = async (ctx: Ctx<Actor>, engineId: string): Promise<void> => {
  send(ctx, engineId, { type: 'engine_stop', data: {} })
  for (const { id, attempt } of await store.liveTasksOf(ctx.db, { engineId }))
    send(ctx, engineId, { type: 'task_force_cancel', data: { task: { id, attempt } } })
}

export const stop = (ctx: Ctx<Member>, id: string) =>
  ctx.tx(async (ctx) => {
    const engine = await lockWritableEngine(ctx, id)
    if (!isStopping(engine)) {
      if (engine.connected) await sendStop(ctx, engine.id)
      await (engine.connected ? beginStop : finalize)(ctx, engine.id, 'stopped')
      await recordAudit(ctx, 'engine.stopped', audited(engine))
    }
    return shown(ctx, engine.id)
  })

export const rename = (ctx: Ctx<Member>, id: string, change: { name?: string; config?: { workers?: unknown } }) =>
  ctx.tx(async (ctx) => {
    const engine = await lockWritableEngine(ctx, id)
    if (change.name === undefined && change.config?.workers === undefined)
      throw fail('invalid_request', 'Set `name` or `config.workers`')
    const workers = change.config?.workers
    const plan =
      workers === undefined
        ? {}
        : {
            config: JSON.stringify({ ...(engine.config as object), workers }),
            planned_workers: JSON.stringify(workers),
            overruled_workers: null,
          }
    const named = change.name === undefined ? {} : { name: change.name, named_by_hand: true }
    await store.changeEngine(ctx.db, engine.id, ctx.now(), { ...named, ...plan })
    await reportEngine(ctx, engine.id)
    return shown(ctx, engine.id)
  })

export const remove = (ctx: Ctx<Member>, id: string) =>
  ctx.tx(async (ctx) => {
    const engine = await lockWritableEngine(ctx, id)
    await removeEngine(ctx, engine, 'deleted')
    return { success: true }
  })

/** Ends an engine permanently, with its workers and keys, in a transaction of the caller that has locked the engine. */
export const removeEngine = async (ctx: Ctx<Actor>, engine: store.EngineRow, reason: string): Promise<void> => {
  if (engine.connected) await sendStop(ctx, engine.id)
  await finalize(ctx, engine.id, reason)
  const now = ctx.now().toISOString()
  await store.deleteEngine(ctx.db, engine.id, now)
  await deleteWorkersOf(ctx.db, engine.id, now)
  await revokeKeysFromSource(ctx, engine.team_id, `engine:${engine.id}`)
  ctx.emit({ subject: machineGone(`engine/${engine.id}`), data: null })
  await recordAudit(ctx, 'engine.deleted', { ...audited(engine), meta: { reason } })
}

/** Lets an engine finish its tasks before another system removes it. */
export const drainEngine = async (ctx: Ctx<Actor>, engineId: string): Promise<void> => {
  const engine = await store.lockEngine(ctx.db, engineId)
  if (!engine?.connected || isStopping(engine) || (engine.status === 'draining' && !engine.own_drain)) return
  await setStatus(ctx, engine.id, 'draining')
  send(ctx, engine.id, { type: 'engine_drain', data: {} })
}

/**
 * Stops draining engines whose workers are all idle. An engine that drains on its own initiative also stops by itself.
 */
export const finishDrained = async (ctx: Ctx<Actor>): Promise<void> => {
  const { rows } = await drainedEngines.execute(ctx.db)
  for (const { id, connected } of rows) await (connected ? beginStop : finalize)(ctx, id, 'drained')
}
