// Purges entries, with all versions, some time after their deletion.
import type { Platform } from '#platform/core/ctx.ts'
import { findDeleted, purgeEntries } from './store.ts'

const retainedAfterDeleteMs = 30 * 86_400_000
const batchSize = 200

export const sweepDeleted = async ({ db, now, log }: Platform): Promise<void> => {
  const before = new Date(now().getTime() - retainedAfterDeleteMs).toISOString()
  let purged = 0
  for (;;) {
    const ids = await findDeleted(db, before, batchSize)
    if (ids.length === 0) break
    await purgeEntries(db, ids)
    purged += ids.length
  }
  if (purged > 0) log.info({ purged }, 'swept deleted knowledge')
}
