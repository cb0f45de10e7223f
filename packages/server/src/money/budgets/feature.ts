// Budgets: spending limits that are enforced before money is spent.
import type { Feature } from '#platform/core/feature.ts'
import { budgetOperations } from './operations.ts'
import { deleteTotalsBefore } from './store.ts'

const retentionDays = 400
const dayMs = 24 * 60 * 60 * 1000

export const budgetsFeature: Feature = {
  name: 'budgets',
  operations: budgetOperations,
  crons: ({ db, now }) => [
    {
      name: 'budgets.forget',
      schedule: '47 4 * * *',
      handler: () =>
        deleteTotalsBefore(db, new Date(now().getTime() - retentionDays * dayMs).toISOString().slice(0, 10)),
    },
  ],
}
