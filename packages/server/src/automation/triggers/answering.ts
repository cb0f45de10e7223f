// Triggers that answer what a run asks. Whoever says what such a trigger does, or when, answers in the chat: that is for those who
// could answer there, however far the workspace's triggers are seen. What the clock does is for everybody.
import { assertMayApprove } from '#accounts/approvals/service.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { isExpiry } from './expiry-name.ts'
import type { TriggerRow } from './store.ts'
import { actionOf } from './targets.ts'

type Answering = Pick<TriggerRow, 'action' | 'type' | 'name' | 'interrupt_id'>

/** Throws `not_found` or `forbidden` as the chat's own doors do. */
export const assertMayAnswer = async (ctx: Ctx, trigger: Answering): Promise<void> => {
  if (trigger.action !== 'resolve_interrupt') return
  await actionOf(ctx, trigger.action).find(ctx, trigger.interrupt_id ?? '')
}

/** Nobody has decided anything yet: who fires it before its time answers the question. */
export const assertMayFire = async (ctx: Ctx, trigger: Answering): Promise<void> => {
  if (isExpiry(trigger)) assertMayApprove(ctx)
  await assertMayAnswer(ctx, trigger)
}

/** A question that is never over by itself is kept open by whoever takes its time away. */
export const assertMayRemove = async (ctx: Ctx, trigger: Answering): Promise<void> => {
  if (isExpiry(trigger)) await assertMayAnswer(ctx, trigger)
}

/** By its name the platform knows what it has set itself, and asks nobody whether it may. */
export const refuseExpiryName = (trigger: Pick<Answering, 'type' | 'name' | 'interrupt_id'>): void => {
  if (isExpiry(trigger))
    throw fail('validation_error', { detail: 'This name is for the time that a question has', meta: { field: 'name' } })
}
