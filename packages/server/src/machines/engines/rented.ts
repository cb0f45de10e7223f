// Functions for rentals, which own the machines of rented engines.
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { describeEngine } from './describe.ts'
import { reportEngine } from './reports.ts'
import * as store from './store.ts'

/** Creates the engine of a machine that is not running yet; it will register with this id. */
export const addPendingEngine = async (ctx: Ctx<Member>, { id, name }: { id: string; name: string }): Promise<void> => {
  const now = ctx.now().toISOString()
  const { BASE_URL } = ctx.settings
  await store.insertEngine(ctx.db, {
    id,
    team_id: ctx.actor.teamId,
    user_id: ctx.actor.userId,
    name,
    named_by_hand: true,
    api_url: BASE_URL,
    config: JSON.stringify({ id, name, api_url: BASE_URL, workers: {}, api_key: '' }),
    status: 'pending',
    infra: 'private',
    created_at: now,
    updated_at: now,
  })
}

/** Notifies streams that data shown with the engine has changed. */
export const changedEngine = async (ctx: Ctx<Actor>, engineId: string): Promise<void> => {
  await store.changeEngine(ctx.db, engineId, ctx.now(), {})
  await reportEngine(ctx, engineId)
}

/** Null if it was deleted. */
export const engineShown = async (ctx: Ctx<Actor>, engineId: string) => {
  const row = await store.findEngine(ctx.db, engineId)
  return row ? describeEngine(ctx.db, row) : null
}

/** Locks the engine until the end of the transaction. */
export const lockEngine = (ctx: Ctx<Actor>, engineId: string): Promise<store.EngineRow | undefined> =>
  store.lockEngine(ctx.db, engineId)

export const setStopReason = async (ctx: Ctx<Actor>, engineId: string, reason: string): Promise<void> => {
  await store.setStopReason(ctx.db, engineId, reason)
}
