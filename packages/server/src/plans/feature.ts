// Plans: what a workspace may use, what it uses, and the refusal when it wants more.
import type { Feature } from '../core/feature.ts'
import { executionsOf, forgetOldMonths, startCounting } from './executions.ts'
import { planOperations } from './operations.ts'

export const plansFeature: Feature = {
  name: 'plans',
  operations: planOperations,
  usage: { task_executions: executionsOf },
  start: async (platform) => startCounting(platform),
  crons: (platform) => [{ name: 'plans.forget', schedule: '43 4 * * *', handler: () => forgetOldMonths(platform) }],
}
