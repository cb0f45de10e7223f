// The questions to people about one tool call.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { addInterrupt, pendingInterrupts, type Scene } from '../runs/scene.ts'
import type { CallRow } from '../store.ts'
import type { InterruptRow } from './interrupts-store.ts'

/** `meta` describes the call unless the question is about something else. */
export const interruptCall = (
  ctx: Ctx<Actor>,
  scene: Scene,
  call: CallRow,
  { reason, meta }: Pick<InterruptRow, 'reason'> & { meta?: Record<string, unknown> },
): void => {
  addInterrupt(ctx, scene, {
    reason,
    source: call.name,
    resource_id: call.id,
    resource_type: 'tool_invocation',
    meta: meta ?? { tool_invocation_id: call.id, tool_name: call.name, arguments: call.arguments },
  })
}

export const interruptsOfCall = (scene: Scene, callId: string): InterruptRow[] =>
  pendingInterrupts(scene).filter((interrupt) => interrupt.resource_id === callId)
