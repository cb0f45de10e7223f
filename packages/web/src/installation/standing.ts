// How a workspace stands with money, in words.
import type { BillingStatus } from '@millrace/contract/billing'

export const standingWords: Readonly<Record<BillingStatus, string>> = {
  active: 'may spend',
  spend_locked: 'spending locked',
  manual_hold: 'on hold',
  suspended: 'suspended',
}
