// Triggers that the platform creates: the expiry of an interrupt, which resolves it if nobody has answered.
import { newId } from '@millrace/contract/ids'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { expiryName } from './expiry-name.ts'
import * as store from './store.ts'
import { scheduleSubject } from './subjects.ts'

export type Expiry = {
  interruptId: string
  teamId: string
  userId: string
  at: Date
  resolution: 'allow' | 'deny'
  runAs: unknown
}

/** Does not count toward the limit of triggers, because it is removed after the interrupt. */
export const scheduleExpiry = async (ctx: Ctx<Actor>, expiry: Expiry): Promise<void> => {
  const now = ctx.now()
  await store.insertTrigger(ctx.db, {
    id: newId(),
    team_id: expiry.teamId,
    user_id: expiry.userId,
    name: expiryName(expiry.interruptId),
    type: 'scheduled',
    action: 'resolve_interrupt',
    interrupt_id: expiry.interruptId,
    enabled: true,
    config: '{}',
    input: JSON.stringify({ resolution: expiry.resolution }),
    input_mapping: '{}',
    filters: '[]',
    scheduled_at: expiry.at,
    next_fire_at: expiry.at,
    run_as: JSON.stringify(expiry.runAs),
    created_at: now,
    updated_at: now,
  })
  ctx.emit({ subject: scheduleSubject, data: null })
}

/** For an interrupt that was answered in time. */
export const removeExpiry = (ctx: Ctx<Actor>, interruptId: string): Promise<void> =>
  store.deleteTriggersNamed(ctx.db, expiryName(interruptId), interruptId)
