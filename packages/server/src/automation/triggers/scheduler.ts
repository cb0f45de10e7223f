// Fires due triggers. In one transaction, due triggers are claimed, their fires inserted and their next times set: two
// replicas never fire one tick twice, and a crash leaves nothing half done.
import { newId } from '@millrace/contract/ids'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { insertFires, type NewFire } from './fires-store.ts'
import { catchUpTicks } from './schedule.ts'
import * as store from './store.ts'
import { waitingSubject } from './subjects.ts'

const batchSize = 100

/** Fires one batch of due triggers; returns their number. */
export const fireDue = (ctx: Ctx<Actor>): Promise<number> =>
  ctx.tx(async (ctx) => {
    const now = ctx.now()
    const due = await store.claimDueTriggers(ctx.db, now.toISOString(), batchSize)
    if (due.length === 0) return 0
    const written: NewFire[] = []
    for (const trigger of due) written.push(await fireOne(ctx, trigger, now))
    await insertFires(ctx.db, written)
    ctx.emit({ subject: waitingSubject, data: null })
    return due.length
  })

const fireOne = async (ctx: Ctx<Actor>, trigger: store.TriggerRow, now: Date): Promise<NewFire> => {
  const due = readDue(trigger.next_fire_at, now)
  const ticks = trigger.type === 'cron' ? readTicks(ctx, trigger, due, now) : { tick: due, next: null }
  if (ticks?.next) await store.setNextFire(ctx.db, trigger.id, ticks.next.toISOString())
  else await store.endSchedule(ctx.db, trigger.id, now.toISOString())
  if (ticks) return fireAt(trigger, ticks.tick, now)
  return { ...fireAt(trigger, due, now), status: 'error', error: 'The schedule is no longer valid' }
}

/** One row with a time before the year 1, which JavaScript cannot parse, must not block the others. */
const readDue = (text: string | null, now: Date): Date => {
  const dueMs = Date.parse(text ?? '')
  return Number.isNaN(dueMs) ? now : new Date(dueMs)
}

/** The text was valid when stored, but a zone may disappear from the time zone data; then the trigger is disabled. */
const readTicks = (ctx: Ctx<Actor>, trigger: store.TriggerRow, due: Date, now: Date) => {
  try {
    return catchUpTicks(trigger.config, due, now)
  } catch (error) {
    ctx.log.error({ err: error, trigger: trigger.id }, 'a schedule is no longer valid')
    return null
  }
}

const fireAt = (trigger: store.TriggerRow, tick: Date, now: Date): NewFire => ({
  id: newId(),
  trigger_id: trigger.id,
  team_id: trigger.team_id,
  status: 'pending',
  kind: 'tick',
  payload: JSON.stringify({ scheduled_at: tick.toISOString().replace('Z', '000Z'), trigger_id: trigger.id }),
  created_at: now.toISOString(),
})

const soonMs = 100

/**
 * How long the scheduler may rest. A due trigger that was not claimed is locked by another transaction for a moment.
 */
export const restUntilDue = async (ctx: Ctx<Actor>, maxRestMs: number): Promise<number> => {
  const next = await store.earliestFire(ctx.db)
  if (next === null) return maxRestMs
  return Math.min(maxRestMs, Math.max(soonMs, Date.parse(next) - ctx.now().getTime()))
}
