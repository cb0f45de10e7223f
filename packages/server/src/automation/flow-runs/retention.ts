// The steps of a flow run that is over are history, and end with it. The run itself, its nodes and its output stay for as
// long as the operator keeps runs.

import { sweepByRetention, sweepOldRuns } from '#accounts/plans/service.ts'
import type { Platform } from '#platform/core/ctx.ts'
import { deleteEndedRuns, forgetSteps } from './retention-store.ts'

export const sweepFlowRuns = async (platform: Platform): Promise<void> => {
  await sweepOldRuns(platform, (...batch) => deleteEndedRuns(platform.db, ...batch))
  await sweepByRetention(platform, (...batch) => forgetSteps(platform.db, ...batch))
}
