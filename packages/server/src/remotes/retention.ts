// Commands that ended a while ago go for good, with what they printed.
import type { Platform } from '../core/ctx.ts'
import { deleteEndedBefore } from './exec-store.ts'

const dayMs = 24 * 3600_000
const batch = 50

export const forgetOldRuns = async ({ db, now, settings }: Platform): Promise<void> => {
  const before = new Date(now().getTime() - settings.EXEC_KEEP_DAYS * dayMs).toISOString()
  for (let gone = batch; gone === batch; ) gone = await deleteEndedBefore(db, before, batch)
}
