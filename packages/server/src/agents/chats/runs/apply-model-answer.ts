// Stores the model's answer as a message, and validates its calls.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { toolsOf } from '../interrupts/call-rules.ts'
import { readUsage } from '../loop/agent-events.ts'
import { checkCall } from '../loop/calls.ts'
import type { LoopEvent } from '../loop/decide.ts'
import { contentOf, type ModelAnswer } from '../loop/model-answer.ts'
import { stateOf } from './loop-state.ts'
import { beginCall, changeCall, changeMessage, runOf, type Scene } from './scene.ts'

export const applyModelAnswer = async (ctx: Ctx<Actor>, scene: Scene, answer: ModelAnswer): Promise<LoopEvent> => {
  const run = runOf(scene)
  const messageId = run.message_id ?? ''
  changeMessage(scene, messageId, { status: 'ready', content: contentOf(answer), usage: answer.usage })
  emitTurn(scene, run.turn, answer)
  if (answer.calls.length > 0) {
    const tools = await toolsOf(ctx, scene)()
    for (const [position, requested] of answer.calls.entries()) {
      const direct = unwrapped(requested)
      const tool = tools.get(direct.name)
      const { fault } = checkCall(direct, tool)
      const call = beginCall(ctx, scene, {
        chat_message_id: messageId,
        call_id: requested.callId,
        position,
        type: tool?.type ?? 'internal',
        name: direct.name,
        display_name: tool?.displayName ?? '',
        arguments: direct.arguments,
        status: 'pending',
      })
      if (fault !== undefined) changeCall(scene, call.id, { status: 'failed', result: fault })
    }
  }
  return { type: 'model_answered', calls: stateOf(scene).calls, hasText: answer.text !== '' }
}

const emitTurn = (scene: Scene, turn: number, { calls, text, usage }: ModelAnswer): void => {
  const stopReason = usage?.stop_reason
  scene.agentEvents.push({
    type: 'turn.completed',
    payload: {
      turn_index: turn,
      tool_count: calls.length,
      has_output: text !== '',
      ...(typeof stopReason === 'string' && { stop_reason: stopReason }),
    },
  })
  if (usage) scene.agentEvents.push({ type: 'usage.updated', payload: readUsage(usage) })
}

/** `tool_call` wraps a call of another tool. */
const unwrapped = (requested: ModelAnswer['calls'][number]): ModelAnswer['calls'][number] => {
  if (requested.name !== 'tool_call' || requested.fault !== undefined) return requested
  const { name, arguments: given } = requested.arguments
  if (typeof name !== 'string' || name === '') return { ...requested, fault: 'name is required' }
  return { ...requested, name, arguments: (given ?? {}) as Record<string, unknown> }
}
