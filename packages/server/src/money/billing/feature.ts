// Billing: the ledger, the account of a workspace, and its spending.
import type { Feature } from '#platform/core/feature.ts'
import { closeOldLedgers, sealedClosings } from './closing.ts'
import { billingOperations } from './operations.ts'

export const billingFeature: Feature = {
  name: 'billing',
  operations: billingOperations,
  sealedColumns: [sealedClosings],
  crons: (platform) => [{ name: 'ledger.retention', schedule: '57 * * * *', handler: () => closeOldLedgers(platform) }],
}
