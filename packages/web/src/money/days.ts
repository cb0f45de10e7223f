// Spending by day, with the days on which nothing was spent. Pure.
import type { Usage } from '@millrace/contract/billing'

type Days = Usage['by_day']

const dayMs = 86_400_000
const shownDays = 30

/** The last thirty days, oldest first, each with what was spent on it. */
export const lastDays = (spent: Days, nowMs: number): Days => {
  const byDate = new Map(spent.map((day) => [day.date, day]))
  return Array.from({ length: shownDays }, (_, index) => {
    const date = new Date(nowMs - (shownDays - 1 - index) * dayMs).toISOString().slice(0, 10)
    return byDate.get(date) ?? { date, microcents: 0 }
  })
}
