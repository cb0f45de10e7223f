// Cleans up sign-ins that were never finished and connections whose holder was deleted.
import { system } from '#platform/core/actor.ts'
import { createCtx, type Platform } from '#platform/core/ctx.ts'
import { stateLifetimeMs } from './connect-oauth.ts'
import { disconnectOrphan } from './disconnect.ts'
import * as store from './leftovers-store.ts'
import { deleteExpired } from './states-store.ts'

const sweepLimit = 100

export const sweepLeftovers = async (platform: Platform): Promise<void> => {
  const { db } = platform
  const now = platform.now()
  await deleteExpired(db, now.toISOString())
  const begunBefore = new Date(now.getTime() - stateLifetimeMs).toISOString()
  await store.endUnfinished(db, begunBefore, now.toISOString())
  const ctx = createCtx(platform, system)
  for (const { id } of await store.findOrphans(db, sweepLimit)) await disconnectOrphan(ctx, id)
}
