import type { Scope } from '@millrace/contract/scopes'
import type { TriggerAction } from '@millrace/contract/triggers'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import type { Failure } from '#platform/core/errors.ts'
import { extensionPoint } from '#platform/core/extension-points.ts'

export type TriggerTarget = { id: string; input_schema?: unknown; output_schema?: unknown }

/** The columns of a trigger that its action uses. */
export type FiredTrigger = {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly agent_id: string | null
  readonly interrupt_id: string | null
}

export type FiredInput = {
  readonly id: string
  /** The trace of the event; empty without one. */
  readonly traceparent: string
  readonly input: { readonly input: Readonly<Record<string, unknown>>; readonly context?: unknown }
}

/** An action of triggers that another feature implements. */
export type TriggerActionProvider = {
  readonly action: TriggerAction
  /**
   * The scope that the recorded grant must include when the trigger fires; null if creating the trigger required more.
   */
  readonly scope: Scope | null
  readonly readScope: Scope
  /** Throws `not_found` unless the actor may start the target. */
  find(ctx: Ctx<Member>, id: string): Promise<TriggerTarget>
  /** Returns one outcome for each event. */
  start(
    ctx: Ctx<Member>,
    trigger: FiredTrigger,
    fires: readonly FiredInput[],
  ): Promise<({ chatId: string } | Failure)[]>
}

export const triggerAction = extensionPoint<TriggerActionProvider>('trigger action')
