// Runs whose price grows while they run: one that would break a budget is stopped there, and told why.
import type { AppPricing } from '@millrace/contract/pricing'
import { brokenLimit, type OpenSpending } from '#money/budgets/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { cancelRow } from '../tasks/service.ts'
import { elapsedMs } from './charges.ts'
import { priceOf } from './price.ts'
import * as store from './store.ts'

const lookedAtOnce = 500

/** The oldest first: of several that together are too much, those that began last are stopped. */
export const stopOverruns = async (ctx: Ctx<Actor>): Promise<void> => {
  const open: OpenSpending = new Map()
  for (const run of await store.openEnded(ctx.db, lookedAtOnce).execute()) {
    const price = priceOf(
      run.pricing as AppPricing,
      { input: run.input, function: run.function },
      { outputMeta: {}, elapsedMs: elapsedMs(run.events, ctx.now()) },
    )
    // What depends on the result alone is known only when there is one.
    if ('error' in price || price.total === 0) continue
    const reason = await brokenLimit(ctx, { teamId: run.team_id, subjects: run.subjects, more: price.total, open })
    if (reason !== null) await cancelRow(ctx, run.task_id, { reason })
  }
}
