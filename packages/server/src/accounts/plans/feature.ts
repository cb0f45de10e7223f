// Plans: what a workspace may use, what it uses, and the refusal beyond that.
import type { Feature } from '#platform/core/feature.ts'
import { deleteOldMonths, executionsOf, startCounting } from './executions.ts'
import { forgetLimits, limitsSubject } from './limits-cache.ts'
import { planOperations } from './operations.ts'

export const plansFeature: Feature = {
  name: 'plans',
  operations: planOperations,
  usage: { task_executions: executionsOf },
  start: async (platform) => {
    const unsubscribe = platform.bus.subscribe(limitsSubject, (teamId) => forgetLimits(platform, teamId))
    const stopCounting = startCounting(platform)
    return async () => {
      unsubscribe()
      await stopCounting()
    }
  },
  crons: (platform) => [{ name: 'plans.forget', schedule: '43 4 * * *', handler: () => deleteOldMonths(platform) }],
}
