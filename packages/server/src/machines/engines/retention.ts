// Deleted engines are retained for a while, so that their runs can be investigated, and then purged. Rented ones are
// retained until their rental is purged.
import type { Platform } from '#platform/core/ctx.ts'
import { purgeDeletedEngines } from './sweep-store.ts'

const retentionMs = 30 * 24 * 3600_000
const batch = 500

export const sweepDeletedEngines = async ({ db, now }: Platform): Promise<void> => {
  const before = new Date(now().getTime() - retentionMs).toISOString()
  for (let deleted = batch; deleted === batch; ) deleted = await purgeDeletedEngines(db, before, batch)
}
