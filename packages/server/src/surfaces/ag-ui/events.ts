// The events of a run in the order that AG-UI clients rely on.
import { type AGUIEvent, EventType, type TokenUsage } from '@ag-ui/core'
import type { RunAgentInput } from '@millrace/contract/ag-ui'
import type { ToolInvocation } from '@millrace/contract/chats'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import type { Failure } from '#platform/core/errors.ts'
import type { EventStream } from '#platform/core/event-stream.ts'
import type { AnswerPiece, AnswerUsage } from '../answers/service.ts'
import { callId, completedPieces, type FollowedAnswer } from '../openai/service.ts'

const usageOf = (usage: AnswerUsage): TokenUsage => ({
  inputTokens: usage.prompt_tokens,
  outputTokens: usage.completion_tokens,
  totalTokens: usage.total_tokens,
  reasoningTokens: usage.reasoning_tokens,
  cachedInputTokens: usage.cached_tokens,
})

const callEvents = (call: ToolInvocation, parentMessageId: string): AGUIEvent[] => {
  const toolCallId = callId(call.id)
  const delta = JSON.stringify(call.function.arguments)
  return [
    { type: EventType.TOOL_CALL_START, toolCallId, toolCallName: call.function.name, parentMessageId },
    { type: EventType.TOOL_CALL_ARGS, toolCallId, delta },
    { type: EventType.TOOL_CALL_END, toolCallId },
  ]
}

/** Opens and closes the messages around the pieces. All text of an answer is one message. */
const createMessages = (id: string) => {
  const thoughts = `${id}-reasoning`
  let open: 'text' | 'reasoning' | null = null
  let hasText = false
  const closeThoughts = (): AGUIEvent[] => {
    if (open !== 'reasoning') return []
    open = null
    return [
      { type: EventType.REASONING_MESSAGE_END, messageId: thoughts },
      { type: EventType.REASONING_END, messageId: thoughts },
    ]
  }
  const close = (): AGUIEvent[] => {
    if (open !== 'text') return closeThoughts()
    open = null
    return [{ type: EventType.TEXT_MESSAGE_END, messageId: id }]
  }
  const reasoning = (delta: string): AGUIEvent[] => {
    // Thoughts between two texts would divide the message.
    if (hasText) return []
    const content: AGUIEvent = { type: EventType.REASONING_MESSAGE_CONTENT, messageId: thoughts, delta }
    if (open === 'reasoning') return [content]
    open = 'reasoning'
    return [
      { type: EventType.REASONING_START, messageId: thoughts },
      { type: EventType.REASONING_MESSAGE_START, messageId: thoughts, role: 'reasoning' },
      content,
    ]
  }
  const text = (delta: string): AGUIEvent[] => {
    const content: AGUIEvent = { type: EventType.TEXT_MESSAGE_CONTENT, messageId: id, delta }
    if (open === 'text') return [content]
    const closed = closeThoughts()
    open = 'text'
    hasText = true
    return [...closed, { type: EventType.TEXT_MESSAGE_START, messageId: id, role: 'assistant' }, content]
  }
  return {
    close,
    piece: (piece: Exclude<AnswerPiece, { type: 'end' }>): AGUIEvent[] => {
      if (piece.type === 'calls') return [...close(), ...piece.calls.flatMap((call) => callEvents(call, id))]
      if (piece.text === '') return []
      return piece.type === 'text' ? text(piece.text) : reasoning(piece.text)
    },
  }
}

const errorOf = ({ message, code }: Failure): AGUIEvent => ({ type: EventType.RUN_ERROR, message, code })

export const streamRun = (
  ctx: Ctx<Member>,
  { threadId, runId, protocolVersion }: RunAgentInput,
  given: FollowedAnswer,
): EventStream => {
  async function* events(signal: AbortSignal): AsyncGenerator<AGUIEvent> {
    const version = protocolVersion === undefined ? {} : { protocolVersion: '1.0' }
    yield { type: EventType.RUN_STARTED, threadId, runId, ...version }
    const messages = createMessages(given.answer.id)
    for await (const piece of completedPieces(ctx, given, { waits: true }, signal)) {
      if (piece.type !== 'end') {
        yield* messages.piece(piece)
        continue
      }
      yield* messages.close()
      yield { type: EventType.RUN_FINISHED, threadId, runId, usage: [usageOf(piece.usage)] }
    }
  }
  return {
    single: true,
    foreign: { end: '', failed: errorOf },
    async *open(signal) {
      for await (const data of events(signal)) yield { type: 'update', name: data.type, data }
    },
  }
}
