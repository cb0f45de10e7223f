// Retention of history: deletes logs, telemetry and webhook deliveries of tasks that finished before the workspace's
// retention time. The task itself, its input and its output stay until somebody deletes them, or until the operator's
// retention time for runs is over.

import { sweepByRetention, sweepDeleted, sweepOldRuns } from '#accounts/plans/service.ts'
import type { Platform } from '#platform/core/ctx.ts'
import { deleteEndedTasks, deleteHistory, purgeDeletedTasks } from './history-store.ts'

export const sweepHistory = async (platform: Platform): Promise<void> => {
  await sweepOldRuns(platform, (...batch) => deleteEndedTasks(platform.db, ...batch))
  await sweepDeleted(platform, (...batch) => purgeDeletedTasks(platform.db, ...batch))
  await sweepByRetention(platform, (...batch) => deleteHistory(platform.db, ...batch))
}
