// Spending by day, including days without spending. Pure.
import type { Usage } from '@millrace/contract/billing'

type Days = Usage['by_day']

const dayMs = 86_400_000
const shownDays = 30

/** The last thirty days, oldest first, with the amount of each. */
export const lastDays = (spent: Days, nowMs: number): Days => {
  const byDate = new Map(spent.map((day) => [day.date, day]))
  return Array.from({ length: shownDays }, (_, index) => {
    const date = new Date(nowMs - (shownDays - 1 - index) * dayMs).toISOString().slice(0, 10)
    return byDate.get(date) ?? { date, microcents: 0 }
  })
}
