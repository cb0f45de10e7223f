// Hourly removal of old impressions and reports, and of vectors of other models.
import type { Platform } from '#platform/core/ctx.ts'
import { clearOtherVectors } from './embedding/embedding.ts'
import { deleteOrphanedVectors } from './embedding/vectors-store.ts'
import { retentionHours } from './memory/memory.ts'
import { deleteChanges } from './memory/memory-store.ts'
import * as store from './suggestions/impressions-store.ts'

/** Impressions of anonymous callers are removed first. */
const retentionDays = { shown: 90, anonymous: 1, sessions: 365 }

export const sweepSearch = async (platform: Platform): Promise<void> => {
  const { db, now } = platform
  const before = (days: number) => new Date(now().getTime() - days * 86_400_000).toISOString()
  await store.deleteImpressions(db, before(retentionDays.shown), before(retentionDays.anonymous))
  await store.deleteSessions(db, before(retentionDays.sessions))
  await deleteOrphanedVectors(db)
  await deleteChanges(db, new Date(now().getTime() - retentionHours * 3_600_000).toISOString())
  // A server with another setting may have written vectors meanwhile.
  await clearOtherVectors(platform)
}
