// The billing status of a workspace as text.
import type { BillingStatus } from '@millrace/contract/billing'

export const billingStatusLabels: Readonly<Record<BillingStatus, string>> = {
  active: 'may spend',
  spend_locked: 'spending locked',
  manual_hold: 'on hold',
  suspended: 'suspended',
}
