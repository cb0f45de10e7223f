// Triggers that resolve an interrupt of a run. A caller who decides how or when such a trigger acts answers in the
// chat, so this requires permission to answer there, regardless of who can see the trigger. A fire by the clock needs no
// permission.
import { assertMayApprove } from '#accounts/approvals/service.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { isExpiry } from './expiry-name.ts'
import type { TriggerRow } from './store.ts'
import { actionOf } from './targets.ts'

type Answering = Pick<TriggerRow, 'action' | 'type' | 'name' | 'interrupt_id'>

/** Throws `not_found` or `forbidden` like the operations of the chat. */
export const assertMayAnswer = async (ctx: Ctx, trigger: Answering): Promise<void> => {
  if (trigger.action !== 'resolve_interrupt') return
  await actionOf(ctx, trigger.action).find(ctx, trigger.interrupt_id ?? '')
}

/** The expiry of an interrupt: a caller who fires it early answers the interrupt. */
export const assertMayFire = async (ctx: Ctx, trigger: Answering): Promise<void> => {
  if (isExpiry(trigger)) assertMayApprove(ctx)
  await assertMayAnswer(ctx, trigger)
}

/** Removing the expiry keeps the interrupt open without a time limit. */
export const assertMayRemove = async (ctx: Ctx, trigger: Answering): Promise<void> => {
  if (isExpiry(trigger)) await assertMayAnswer(ctx, trigger)
}

/** The platform recognizes its own triggers by this name and does not check their permissions. */
export const refuseExpiryName = (trigger: Pick<Answering, 'type' | 'name' | 'interrupt_id'>): void => {
  if (isExpiry(trigger))
    throw fail('validation_error', {
      detail: 'This name is reserved for the time limit of an interrupt',
      meta: { field: 'name' },
    })
}
