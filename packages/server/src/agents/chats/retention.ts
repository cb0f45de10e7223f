// Permanently deletes chats some time after they were deleted, with everything that belongs to them.
import { deleteRulesOf } from '#accounts/approvals/service.ts'
import type { Platform } from '#platform/core/ctx.ts'
import { deleteChats, findChatsDeletedBefore } from './runs/sweep-store.ts'

const retentionMs = 30 * 24 * 3600_000
const batch = 200

export const sweepChats = async (platform: Platform): Promise<void> => {
  const before = new Date(platform.now().getTime() - retentionMs).toISOString()
  for (let deleted = batch; deleted === batch; ) {
    const ids = await findChatsDeletedBefore(platform.db, before, batch)
    await deleteRulesOf(platform.db, ids)
    await deleteChats(platform.db, ids)
    deleted = ids.length
  }
}
