// Charges of priced runs. The maximum price is reserved when a run is accepted and settled when it ends, each in the
// transaction that accepts or ends the task, so that no run is free and none is charged twice.
import type { AppPricing } from '@millrace/contract/pricing'
import { taskStatus } from '@millrace/contract/task-status'
import { type LedgerEntry, platformOwner, postTransaction, requireSpending } from '#money/billing/service.ts'
import { reserveSpending, settleSpending } from '#money/budgets/service.ts'
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import type { PlannedRun } from '../runs/extension-points.ts'
import type { EndedTask } from '../tasks/extension-points.ts'
import { estimateOf, type Price, priceOf, worstCase } from './price.ts'
import * as store from './store.ts'

/** Reserves the maximum price. Refuses the run if the workspace cannot pay it. */
export const reserve = async (ctx: Ctx<Member>, run: PlannedRun): Promise<void> => {
  const pricing = run.pricing as AppPricing | null
  if (!pricing) return
  const { teamId } = ctx.actor
  const estimate = estimateOf(pricing, { input: run.input, function: run.function })
  // A run that certainly costs nothing is free, even if spending is stopped.
  if (estimate.confidence === 'exact' && estimate.microcents === 0) return
  const amount = worstCase(estimate)
  const { balance } = await requireSpending(ctx, teamId)
  if (amount === null ? balance <= 0 : balance < amount)
    throw fail('payment_required', {
      detail: 'The prepaid balance of this workspace does not cover this run',
      meta: { balance, ...(amount === null ? {} : { required: amount }) },
    })
  const subjects = await reserveSpending(ctx, { origin: run.origin, amount })
  const reserved = amount ?? 0
  await store.insertCharge(ctx.db, {
    task_id: run.taskId,
    team_id: teamId,
    app_id: run.appId,
    author_team_id: run.authorTeamId,
    pricing,
    reserved,
    subjects: JSON.stringify(subjects),
    is_open_ended: amount === null,
    created_at: ctx.now().toISOString(),
  })
  if (reserved > 0)
    await postTransaction(ctx, {
      teamId,
      type: 'charge',
      reference: 'task',
      referenceId: run.taskId,
      entries: [
        { account: 'workspace', owner: teamId, amount: -reserved },
        { account: 'held', owner: teamId, amount: reserved },
      ],
    })
}

export const elapsedMs = (events: unknown, now: Date): number => {
  const list = Array.isArray(events) ? (events as { status: number; event_time: string }[]) : []
  const began = list.find(({ status }) => status === taskStatus.running)
  return began ? Math.max(0, now.getTime() - Date.parse(began.event_time)) : 0
}

const outputMetaOf = (output: unknown): unknown =>
  (typeof output === 'object' && output !== null && 'output_meta' in output ? output.output_meta : null) ?? {}

type Charge = NonNullable<Awaited<ReturnType<typeof store.lockCharge>>>

const nothing: Price = { total: 0, fees: { resource: 0, inference: 0, royalty: 0, partner: 0 } }

/**
 * A failed run costs nothing. A run whose price cannot be computed is not charged either, and the operator gets a
 * warning.
 */
const priceWhenEnded = (ctx: Ctx<Actor>, charge: Charge, task: EndedTask): Price => {
  if (task.status !== taskStatus.completed) return nothing
  const price = priceOf(
    charge.pricing as AppPricing,
    { input: charge.input, function: charge.function },
    { outputMeta: outputMetaOf(charge.output), elapsedMs: elapsedMs(charge.events, ctx.now()) },
  )
  if (!('error' in price)) return price
  ctx.log.warn({ taskId: task.id, reason: price.error }, 'could not compute the price of a run; it was not charged')
  return nothing
}

/** The author of the app receives the royalty and the platform the rest. */
const earnings = (charge: Charge, price: Price, total: number): LedgerEntry[] => {
  const royalty = Math.min(price.fees.royalty, total)
  return [
    { account: 'author', owner: charge.author_team_id, amount: royalty },
    { account: 'platform', owner: platformOwner, amount: total - royalty },
  ]
}

const settlementType = (back: number): 'release' | 'charge' | 'settlement' => {
  if (back > 0) return 'release'
  return back < 0 ? 'charge' : 'settlement'
}

export const settle = async (ctx: Ctx<Actor>, task: EndedTask): Promise<void> => {
  const charge = await store.lockCharge(ctx.db, task.id)
  if (!charge) return
  const price = priceWhenEnded(ctx, charge, task)
  const { team_id: teamId, reserved } = charge
  // Locks the account first, in the same order as an accepted run, to avoid deadlocks. A spending stop does not matter
  // here, because the run has already taken place.
  const { balance } = await requireSpending(ctx, teamId, { evenIfStopped: true })
  // A cost above the reservation is charged only up to the balance, which never becomes negative.
  const more = Math.max(0, Math.min(price.total - reserved, balance))
  const total = Math.min(price.total, reserved + more)
  await store.settleCharge(ctx.db, task.id, total, ctx.now().toISOString())
  await settleSpending(ctx, { teamId, subjects: charge.subjects, at: charge.created_at, held: reserved, spent: total })
  if (total === 0 && reserved === 0) return
  const back = reserved - total
  await postTransaction(ctx, {
    teamId,
    type: settlementType(back),
    userId: charge.user_id,
    reference: 'task',
    referenceId: task.id,
    entries: [
      { account: 'held', owner: teamId, amount: -reserved },
      { account: 'workspace', owner: teamId, amount: back },
      ...earnings(charge, price, total),
    ],
  })
}
