// Machines that are gone stay for a while, for whoever must look into what ran there, and then go for good. Rented ones
// wait until their rental is forgotten.
import type { Platform } from '#platform/core/ctx.ts'
import { purgeDeletedEngines } from './sweep-store.ts'

const keptMs = 30 * 24 * 3600_000
const batch = 500

export const sweepDeletedEngines = async ({ db, now }: Platform): Promise<void> => {
  const before = new Date(now().getTime() - keptMs).toISOString()
  for (let gone = batch; gone === batch; ) gone = await purgeDeletedEngines(db, before, batch)
}
