// How many more tasks a workspace may run concurrently. Limits are cached briefly because every run needs them; running
// tasks are counted each time.

import { cachedEntitlement } from '#accounts/plans/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { countRunning } from './store.ts'

/** Null when the workspace has no limit. */
export const concurrencyLimit = async (ctx: Ctx<Actor>, teamId: string): Promise<number | null> => {
  const { unlimited, limit, enforcement } = await cachedEntitlement(ctx, 'concurrency', teamId)
  return unlimited || enforcement === 'warn' ? null : limit
}

/** How many more tasks may start, for the workspaces with a limit. */
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
