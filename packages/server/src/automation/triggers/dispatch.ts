// Starts runs for fires. A waiting fire is claimed, its run is started and its row is settled in one transaction, so it
// happens exactly once, even if the server crashes.
import type { TriggerAction } from '@millrace/contract/triggers'
import { takeFromRate } from '#accounts/access/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { type Failure, fail, isFailure } from '#platform/core/errors.ts'
import { scopeRefusal } from '#platform/core/scope-checks.ts'
import { isExpiry } from './expiry-name.ts'
import { mapInput } from './input-mapping.ts'
import { ownerOf } from './owner.ts'
import * as store from './store.ts'
import { notifyLists } from './subjects.ts'
import { actionOf, type StartedFire, type StartedTarget } from './targets.ts'
import * as waiting from './waiting-fires-store.ts'

export type FireToStart = {
  readonly id: string
  readonly payload: unknown
  readonly isTick: boolean
  /** The trace of the fire; empty without one. */
  readonly traceparent: string
}

/** Starts the runs for fires of one trigger, as its owner; returns for each fire the started run or the failure. */
export const startFires = async (
  ctx: Ctx<Actor>,
  trigger: store.OwnedTrigger,
  firings: readonly FireToStart[],
): Promise<(StartedTarget | Failure)[]> => {
  const owner = ownerOf(trigger)
  if (isFailure(owner)) return firings.map(() => owner)
  const action = trigger.action as TriggerAction
  const { scope, start } = actionOf(ctx, action)
  const refusal = scope === null ? null : scopeRefusal(owner, scope)
  if (refusal) {
    const failure = fail(refusal.code, `The trigger was set up without the scope it needs: ${refusal.detail}`)
    return firings.map(() => failure)
  }
  const mapped = firings.map(({ payload, isTick }) =>
    mapInput({
      action,
      input: trigger.input as Record<string, unknown>,
      mapping: trigger.input_mapping as Record<string, Record<string, unknown>>,
      payload,
      isTick,
    }),
  )
  const startable: StartedFire[] = firings.flatMap(({ id, traceparent }, index) => {
    const input = mapped[index]
    return input?.ok ? [{ id, input, traceparent }] : []
  })
  // The rate limit of runs also applies to fires, except for the expiry of an interrupt, which is not a run.
  const { granted, refusal: overLimit } = isExpiry(trigger)
    ? { granted: startable.length, refusal: null }
    : await takeFromRate(ctx, trigger.team_id, 'run', startable.length)
  const started = granted === 0 ? [] : await start(ctx.as(owner), trigger, startable.slice(0, granted))
  const byId = new Map(startable.map(({ id }, index) => [id, started[index] ?? overLimit]))
  return firings.map(({ id }, index) => {
    const input = mapped[index]
    if (input && !input.ok) return fail('validation_error', input.detail)
    return byId.get(id) ?? fail('internal_error')
  })
}

const batchSize = 200
const maxBatchBytes = 16_000_000
const maxAttempts = 8
const retryMs = 1_000

/** Dispatches one batch of waiting fires; returns their number. */
export const dispatchWaiting = async (ctx: Ctx<Actor>): Promise<number> => {
  try {
    return (await dispatchClaimed(ctx, batchSize)).length
  } catch (error) {
    ctx.log.warn({ err: error }, 'could not dispatch a batch of fires; trying them one by one')
    return dispatchOneByOne(ctx)
  }
}

/** A fire that cannot be dispatched must not block the others. */
const dispatchOneByOne = async (ctx: Ctx<Actor>): Promise<number> => {
  for (let count = 0; count < batchSize; count += 1) {
    const claimed: waiting.WaitingFire[] = []
    try {
      await dispatchClaimed(ctx, 1, claimed)
    } catch (error) {
      const [fire] = claimed
      if (!fire) throw error
      await postpone(ctx, fire, error)
    }
    if (claimed.length === 0) return count
  }
  return batchSize
}

/** `claimed` passes the claimed fires to the caller, also if dispatching fails. */
const dispatchClaimed = (ctx: Ctx<Actor>, limit: number, claimed: waiting.WaitingFire[] = []) =>
  ctx.tx(async (ctx) => {
    const claim = { now: ctx.now().toISOString(), limit, maxBytes: maxBatchBytes }
    claimed.push(...(await waiting.claimWaiting(ctx.db, claim)))
    if (claimed.length === 0) return claimed
    const byTrigger = Map.groupBy(claimed, (fire) => fire.trigger_id)
    const owned = await store.findOwnedTriggers(ctx.db, [...byTrigger.keys()])
    const triggers = new Map(owned.map((trigger) => [trigger.id, trigger]))
    const settled: waiting.SettledFire[] = []
    const counts = new Map<string, number>()
    for (const [triggerId, group] of byTrigger) {
      const trigger = triggers.get(triggerId)
      const outcomes = trigger ? await startFires(ctx, trigger, group.map(firingOf)) : group.map(() => triggerGone())
      settled.push(
        ...group.map((fire, index) => settlement(fire, outcomes[index] ?? fail('internal_error'), ctx.now())),
      )
      const successes = outcomes.filter((outcome) => !isFailure(outcome)).length
      if (successes > 0) counts.set(triggerId, successes)
      if (trigger) notifyLists(ctx, trigger)
    }
    const now = ctx.now().toISOString()
    await waiting.settleFires(ctx.db, settled, now)
    if (counts.size > 0) await store.countFires(ctx.db, counts, now)
    return claimed
  })

const firingOf = ({ id, payload, kind, traceparent }: waiting.WaitingFire): FireToStart => ({
  id,
  payload,
  isTick: kind === 'tick',
  traceparent,
})

const triggerGone = () => fail('not_found', 'The trigger was deleted before its fire was dispatched')

export const settlement = (
  fire: { id: string; created_at: string },
  outcome: StartedTarget | Failure,
  now: Date,
): waiting.SettledFire => ({
  id: fire.id,
  status: isFailure(outcome) ? 'error' : 'success',
  error: isFailure(outcome) ? outcome.message : '',
  duration_ms: Math.max(0, now.getTime() - Date.parse(fire.created_at)),
  task_id: isFailure(outcome) ? null : (outcome.taskId ?? null),
  chat_id: isFailure(outcome) ? null : (outcome.chatId ?? null),
  flow_run_id: isFailure(outcome) ? null : (outcome.flowRunId ?? null),
})

/** An unexpected error: try again later, and log the failure after some attempts. */
const postpone = async (ctx: Ctx<Actor>, fire: waiting.WaitingFire, error: unknown): Promise<void> => {
  const attempts = fire.attempts + 1
  ctx.log.error({ err: error, fire: fire.id, attempts }, 'could not dispatch a fire')
  const now = ctx.now()
  if (attempts >= maxAttempts) {
    const outcome = fail('internal_error', 'Something went wrong on the server')
    return waiting.settleFires(ctx.db, [settlement(fire, outcome, now)], now.toISOString())
  }
  const availableAt = new Date(now.getTime() + retryMs * 2 ** attempts).toISOString()
  await waiting.postponeFire(ctx.db, fire.id, attempts, availableAt)
}
