// The end of a rental, for every reason: refunds the unused time once, revokes the key and removes the machine. Runs in
// the transaction that ends the engine, so that both happen or neither.
import { revokeKeysFromSource } from '#accounts/access/service.ts'
import { settleSpending } from '#money/budgets/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import type { EndedEngine } from '../engines/extension-points.ts'
import { finalize, lockEngine, removeEngine, setStopReason } from '../engines/service.ts'
import { type Payment, refundOfSpan, sharesOf } from './amounts.ts'
import { moveMoney } from './money.ts'
import * as store from './store.ts'

const close = async (ctx: Ctx<Actor>, row: store.InstanceRow, change: { removals_left: number }): Promise<void> => {
  const now = ctx.now().toISOString()
  await store.updateInstance(ctx.db, row.id, {
    status: 'deleting',
    ended_at: now,
    next_look_at: now,
    failures: 0,
    api_key_sealed: null,
    updated_at: now,
    ...change,
  })
  await revokeKeysFromSource(ctx, row.team_id, `engine:${row.engine_id}`)
}

/** Reduces the budgets by the refund: of each payment in the period and for the subjects it counted against. */
const refundPayments = async (ctx: Ctx<Actor>, row: store.InstanceRow, refund: number): Promise<void> => {
  for (const { at, amount, subjects } of sharesOf(refund, row.payments as Payment[]))
    await settleSpending(ctx, { teamId: row.team_id, subjects, at, held: 0, spent: -amount })
}

/** Called when an engine ends. An engine without a rental needs no refund. */
export const endRental = async (ctx: Ctx<Actor>, { id: engineId, reason }: EndedEngine): Promise<void> => {
  const row = await store.lockByEngine(ctx.db, engineId)
  if (!row || row.ended_at !== null) return
  await close(ctx, row, { removals_left: row.status === 'creating' ? 2 : 1 })
  // The provider announced the interruption and the engine drained early because of it.
  if (reason === 'drained' && row.interruption_at !== null) await setStopReason(ctx, engineId, 'preempted')
  const refund = refundOfSpan(row.hourly_price, ctx.now().getTime(), Date.parse(row.end_time), row.paid)
  await moveMoney(ctx, row, 'refund', refund, { notes: `Unused time of ${row.name} (${reason})` })
  await refundPayments(ctx, row, refund)
}

/** Reverts a failed launch with its payment. No effect once the machine exists. */
export const undoLaunch = (ctx: Ctx<Actor>, instanceId: string, { certain }: { certain: boolean }): Promise<boolean> =>
  ctx.tx(async (ctx) => {
    const row = await store.lockInstance(ctx.db, instanceId)
    if (row?.status !== 'creating') return false
    await close(ctx, row, { removals_left: certain ? 1 : 2 })
    await store.updateInstance(ctx.db, row.id, { launch_until: null })
    await moveMoney(ctx, row, 'reversal', row.paid, {
      notes: `${row.name} could not be launched`,
      reversalId: row.debit_id,
    })
    await refundPayments(ctx, row, row.paid)
    const engine = await lockEngine(ctx, row.engine_id)
    if (engine) await removeEngine(ctx, engine, 'launch_failed')
    return true
  })

/** Stops the engine of the machine for this reason. An expired rental is also no longer listed. */
export const stopRental = (ctx: Ctx<Actor>, engineId: string, reason: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    const engine = await lockEngine(ctx, engineId)
    if (!engine) return endRental(ctx, { id: engineId, reason })
    await (reason === 'expired' ? removeEngine(ctx, engine, reason) : finalize(ctx, engineId, reason))
  })

export const endRentalsOf = async (ctx: Ctx<Actor>, teamId: string): Promise<void> => {
  for (const { engine_id } of await store.listLiveOfTeam(ctx.db, teamId))
    await stopRental(ctx, engine_id, 'workspace_archived')
}

/** The broker of the cloud no longer exists, so every rental ends now and no machine waits for its removal. */
export const abandonMachines = async (ctx: Ctx<Actor>, cloud: string): Promise<void> => {
  for (const { id } of await store.listCreating(ctx.db, cloud)) await undoLaunch(ctx, id, { certain: true })
  for (const { engine_id } of await store.listLiveOfCloud(ctx.db, cloud))
    await stopRental(ctx, engine_id, 'cloud_deleted')
  await store.abandonOfCloud(ctx.db, cloud, ctx.now().toISOString())
}
