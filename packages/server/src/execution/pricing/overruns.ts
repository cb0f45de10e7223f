// Cancels running runs whose growing price would exceed a budget. The task keeps the reason.
import type { AppPricing } from '@millrace/contract/pricing'
import { brokenLimit, type OpenSpending } from '#money/budgets/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { cancelRow } from '../tasks/service.ts'
import { elapsedMs } from './charges.ts'
import { priceOf } from './price.ts'
import * as store from './store.ts'

const batchSize = 500

/** Oldest first: if several runs together exceed the budget, the newest are canceled. */
export const stopOverruns = async (ctx: Ctx<Actor>): Promise<void> => {
  const open: OpenSpending = new Map()
  for (const run of await store.openEnded(ctx.db, batchSize).execute()) {
    const price = priceOf(
      run.pricing as AppPricing,
      { input: run.input, function: run.function },
      { outputMeta: {}, elapsedMs: elapsedMs(run.events, ctx.now()) },
    )
    // A price that depends only on the result is unknown until the run ends.
    if ('error' in price || price.total === 0) continue
    const reason = await brokenLimit(ctx, { teamId: run.team_id, subjects: run.subjects, more: price.total, open })
    if (reason !== null) await cancelRow(ctx, run.task_id, { reason })
  }
}
