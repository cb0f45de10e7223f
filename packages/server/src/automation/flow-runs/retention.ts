// Deletes the steps of finished flow runs after their retention time. Runs, nodes and outputs are retained as long as
// the operator sets.

import { sweepByRetention, sweepOldRuns } from '#accounts/plans/service.ts'
import type { Platform } from '#platform/core/ctx.ts'
import { deleteEndedRuns, deleteSteps } from './retention-store.ts'

export const sweepFlowRuns = async (platform: Platform): Promise<void> => {
  await sweepOldRuns(platform, (...batch) => deleteEndedRuns(platform.db, ...batch))
  await sweepByRetention(platform, (...batch) => deleteSteps(platform.db, ...batch))
}
