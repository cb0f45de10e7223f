// Budget checks for other features: reserve an amount, then settle it. Called inside the transaction that locks the
// workspace's account, which serializes its spending.
import type { BudgetPeriod } from '@millrace/contract/budgets'
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { wireTime } from '#platform/core/times.ts'
import { chainOf, type WorkOrigin } from './chain.ts'
import { resetsAt, startOf } from './periods.ts'
import * as store from './store.ts'

export const daysAt = (at: Date) => ({ day: startOf('day', at), month: startOf('month', at) })

const explain = (budget: store.BudgetRow, now: Date) => ({
  budget_id: budget.id,
  subject_type: budget.subject_type,
  limit: budget.limit,
  spent: budget.spent,
  held: budget.held,
  resets_at: wireTime(resetsAt(budget.period as BudgetPeriod, now)),
})

const words = ({ subject_type: subject, period }: store.BudgetRow): string =>
  `The budget of this ${subject.replace('_', ' ')} for the ${period} does not cover this`

/** Null means an unknown cost: the work may start while anything is left. */
const fits = ({ limit, spent, held }: store.BudgetRow, amount: number | null): boolean =>
  amount === null ? spent + held < limit : spent + held + amount <= limit

/** Refuses work whose maximum cost exceeds a budget; otherwise reserves that amount. Returns the budget subjects. */
export const reserveSpending = async (
  ctx: Ctx<Member>,
  { origin, amount }: { origin: WorkOrigin; amount: number | null },
): Promise<store.SpendingSubject[]> => {
  const { teamId } = ctx.actor
  const subjects = await chainOf(ctx, origin)
  const days = daysAt(ctx.now())
  for (const budget of await store.listBudgetsOver(ctx.db, teamId, subjects, days)) {
    if (fits(budget, amount)) continue
    const meta = explain(budget, ctx.now())
    if (budget.enforcement === 'block') throw fail('budget_exceeded', { detail: words(budget), meta })
    ctx.notice({ level: 'warning', code: 'budget_exceeded', message: words(budget), meta })
  }
  if (amount) await store.addToTotals(ctx.db, teamId, subjects, days, { spent: 0, held: amount })
  return subjects
}

/** Replaces the amount reserved at `at` by the real cost, in the period of the reservation. */
export const settleSpending = async (
  ctx: Ctx<Actor>,
  { teamId, subjects, at, held, spent }: { teamId: string; subjects: unknown; at: string; held: number; spent: number },
): Promise<void> => {
  const counted = subjects as store.SpendingSubject[]
  if (counted.length === 0 || (held === 0 && spent === 0)) return
  await store.addToTotals(ctx.db, teamId, counted, daysAt(new Date(at)), { spent, held: -held })
}

/** Current cost of runs without a predictable price, by budget. */
export type OpenSpending = Map<string, number>

/**
 * Returns the first limit that `more` would exceed together with the open amounts, as a sentence. Returns null while
 * all limits hold, and then counts `more` as open.
 */
export const brokenLimit = async (
  ctx: Ctx<Actor>,
  { teamId, subjects, more, open }: { teamId: string; subjects: unknown; more: number; open: OpenSpending },
): Promise<string | null> => {
  const counted = subjects as store.SpendingSubject[]
  const budgets = await store.listBudgetsOver(ctx.db, teamId, counted, daysAt(ctx.now()))
  const sumOf = ({ id }: store.BudgetRow): number => more + (open.get(id) ?? 0)
  const broken = budgets.find((budget) => budget.enforcement === 'block' && !fits(budget, sumOf(budget)))
  if (broken) return `budget_exceeded: ${words(broken)}`
  for (const budget of budgets) open.set(budget.id, sumOf(budget))
  return null
}
