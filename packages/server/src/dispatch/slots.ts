// How many more tasks a workspace may have running at once. Limits are remembered for a moment, because every run asks;
// how many run is counted each time.

import type { Actor } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { perPlatform } from '../core/per-platform.ts'
import { entitlementOf } from '../plans/service.ts'
import { countRunning } from './store.ts'

const rememberedMs = 5_000
const maxRemembered = 10_000

const limitsOf = perPlatform(() => new Map<string, { limit: number | null; untilMs: number }>())

/** Null when the workspace may run as many as it likes. */
export const concurrencyLimit = async (ctx: Ctx<Actor>, teamId: string): Promise<number | null> => {
  const limits = limitsOf(ctx)
  const nowMs = ctx.now().getTime()
  const known = limits.get(teamId)
  if (known && known.untilMs > nowMs) return known.limit
  const { unlimited, limit, enforcement } = await entitlementOf(ctx, 'concurrency', teamId)
  const kept = unlimited || enforcement === 'warn' ? null : limit
  if (limits.size >= maxRemembered) limits.clear()
  limits.set(teamId, { limit: kept, untilMs: nowMs + rememberedMs })
  return kept
}

/** How many more tasks may start, for those of the workspaces that have a limit. */
export const slotsOf = async (ctx: Ctx<Actor>, teamIds: readonly string[]): Promise<ReadonlyMap<string, number>> => {
  const limited = new Map<string, number>()
  for (const teamId of new Set(teamIds)) {
    const limit = await concurrencyLimit(ctx, teamId)
    if (limit !== null) limited.set(teamId, limit)
  }
  if (limited.size === 0) return new Map()
  const running = await countRunning(ctx.db, [...limited.keys()])
  return new Map([...limited].map(([teamId, limit]) => [teamId, Math.max(0, limit - (running.get(teamId) ?? 0))]))
}
