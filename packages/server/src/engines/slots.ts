// How many more tasks a workspace may have running at once. Limits are remembered for a moment, because every dispatch
// asks; how many run is counted each time.
import { entitlementOf } from '../access/service.ts'
import type { Actor } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import type { Slots } from './matching.ts'
import { countRunning } from './store.ts'

const rememberedMs = 5_000

export type SlotBook = { slotsOf(ctx: Ctx<Actor>, teamIds: readonly string[]): Promise<Slots> }

export const createSlotBook = (): SlotBook => {
  const limits = new Map<string, { limit: number | null; untilMs: number }>()

  const limitOf = async (ctx: Ctx<Actor>, teamId: string): Promise<number | null> => {
    const nowMs = ctx.now().getTime()
    const known = limits.get(teamId)
    if (known && known.untilMs > nowMs) return known.limit
    const { unlimited, limit, enforcement } = await entitlementOf(ctx, 'concurrency', teamId)
    const kept = unlimited || enforcement === 'warn' ? null : limit
    limits.set(teamId, { limit: kept, untilMs: nowMs + rememberedMs })
    return kept
  }

  return {
    slotsOf: async (ctx, teamIds) => {
      const limited = new Map<string, number>()
      for (const teamId of new Set(teamIds)) {
        const limit = await limitOf(ctx, teamId)
        if (limit !== null) limited.set(teamId, limit)
      }
      if (limited.size === 0) return new Map()
      const running = await countRunning(ctx.db, [...limited.keys()])
      return new Map([...limited].map(([teamId, limit]) => [teamId, Math.max(0, limit - (running.get(teamId) ?? 0))]))
    },
  }
}
