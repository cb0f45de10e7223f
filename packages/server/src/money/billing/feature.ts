// Billing: the ledger, a workspace's account and what it spent.
import type { Feature } from '#platform/core/feature.ts'
import { closeOldLedgers, sealedClosings } from './closing.ts'
import { billingOperations } from './operations.ts'

export const billingFeature: Feature = {
  name: 'billing',
  operations: billingOperations,
  sealedColumns: [sealedClosings],
  crons: (platform) => [{ name: 'ledger.retention', schedule: '57 * * * *', handler: () => closeOldLedgers(platform) }],
}
