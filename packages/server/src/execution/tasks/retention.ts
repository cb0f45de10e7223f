// History ends: logs, telemetry and webhook deliveries of tasks that finished longer ago than the workspace keeps them. The
// task itself, its input and its output stay until somebody deletes it, or for as long as the operator keeps runs.

import { sweepByRetention, sweepDeleted, sweepOldRuns } from '#accounts/plans/service.ts'
import type { Platform } from '#platform/core/ctx.ts'
import { deleteEndedTasks, forgetHistory, purgeDeletedTasks } from './history-store.ts'

export const sweepHistory = async (platform: Platform): Promise<void> => {
  await sweepOldRuns(platform, (...batch) => deleteEndedTasks(platform.db, ...batch))
  await sweepDeleted(platform, (...batch) => purgeDeletedTasks(platform.db, ...batch))
  await sweepByRetention(platform, (...batch) => forgetHistory(platform.db, ...batch))
}
