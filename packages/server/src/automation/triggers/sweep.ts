// Deletes fires after the retention time of the workspace's plan.

import { entitlementOf } from '#accounts/plans/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { deleteFiresBefore, teamsWithFiresBefore } from './fires-store.ts'

const defaultDays = 30
const dayMs = 86_400_000
const batchSize = 5_000

/** Retention of fires in days; null for unlimited. */
const retentionDays = async (ctx: Ctx<Actor>, teamId: string): Promise<number | null> => {
  const { unlimited, limit } = await entitlementOf(ctx, 'retention_days', teamId)
  if (unlimited) return null
  return limit > 0 ? limit : defaultDays
}

export const sweepFires = async (ctx: Ctx<Actor>): Promise<number> => {
  const nowMs = ctx.now().getTime()
  let swept = 0
  for (const teamId of await teamsWithFiresBefore(ctx.db, new Date(nowMs - dayMs).toISOString())) {
    const days = await retentionDays(ctx, teamId)
    if (days === null) continue
    const before = new Date(nowMs - days * dayMs).toISOString()
    for (let deleted = batchSize; deleted === batchSize; swept += deleted)
      deleted = await deleteFiresBefore(ctx.db, teamId, before, batchSize)
  }
  return swept
}
