// Billing: the ledger, a workspace's account and what it spent.
import type { Feature } from '../core/feature.ts'
import { billingOperations } from './operations.ts'

export const billingFeature: Feature = { name: 'billing', operations: billingOperations }
