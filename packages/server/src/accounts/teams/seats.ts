// The number of members that a workspace's plan allows.

import type { Ctx, UsageCounters } from '#platform/core/ctx.ts'
import { requireWithinLimit } from '../plans/service.ts'
import { countMembers } from './members-store.ts'

export const seatUsage: UsageCounters = { seats: async (db, teamId) => (await countMembers(db, teamId)).members }

/** `promised`: seats of pending invites. */
export const requireSeat = (ctx: Ctx, teamId: string, promised = 0): Promise<void> =>
  requireWithinLimit(ctx, 'seats', {
    teamId,
    current: async () => (await countMembers(ctx.db, teamId)).members + promised,
  })
