// Days and months in UTC. Pure.
import type { BudgetPeriod } from '@millrace/contract/budgets'

/** YYYY-MM-DD of the period's first day. */
export const startOf = (period: BudgetPeriod, at: Date): string =>
  period === 'day' ? at.toISOString().slice(0, 10) : `${at.toISOString().slice(0, 7)}-01`

export const resetsAt = (period: BudgetPeriod, at: Date): Date =>
  period === 'day'
    ? new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1))
    : new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1))
