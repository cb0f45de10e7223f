// The events of a streamed response, in the order that published clients rely on.
import type { ToolInvocation } from '@millrace/contract/chats'
import type { OpenAiResponse } from '@millrace/contract/openai'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import type { EventStream, StreamEvent } from '#platform/core/event-stream.ts'
import { openAiError } from '#platform/http/openai-error.ts'
import { toFailure } from '#platform/http/problem.ts'
import type { AnswerPiece } from '../answers/service.ts'
import { type Collected, completedPieces, type FollowedAnswer } from './chat-completions.ts'
import { callItem, completedResponse, messageItem, reasoningItem } from './responses.ts'

type Draft = { type: string } & Record<string, unknown>

/** Opens and closes the output items around the pieces. */
const createOutput = (id: string) => {
  const collected: Omit<Collected, 'ending' | 'usage'> = { text: '', reasoning: '', calls: [] }
  let open: 'reasoning' | 'message' | null = null
  let index = -1
  const item = (kind: 'reasoning' | 'message', status: string) =>
    kind === 'message' ? messageItem(id, status, collected.text) : reasoningItem(id, collected.reasoning)
  const part = () => ({ item_id: messageItem(id, '', '').id, output_index: index, content_index: 0 })
  const textPart = (text: string) => ({ type: 'output_text', text, annotations: [] })

  const close = (): Draft[] => {
    if (open === null) return []
    const kind = open
    open = null
    const done: Draft = { type: 'response.output_item.done', output_index: index, item: item(kind, 'completed') }
    if (kind === 'reasoning') return [done]
    const { text } = collected
    return [
      { type: 'response.output_text.done', ...part(), text, logprobs: [] },
      { type: 'response.content_part.done', ...part(), part: textPart(text) },
      done,
    ]
  }

  const begin = (kind: 'reasoning' | 'message'): Draft[] => {
    if (open === kind) return []
    const before = close()
    open = kind
    index += 1
    const added: Draft = { type: 'response.output_item.added', output_index: index, item: item(kind, 'in_progress') }
    return kind === 'reasoning'
      ? [...before, added]
      : [...before, added, { type: 'response.content_part.added', ...part(), part: textPart('') }]
  }

  const call = (one: ToolInvocation): Draft[] => {
    index += 1
    const of = { item_id: `fc_${one.id}`, output_index: index }
    const given = JSON.stringify(one.function.arguments)
    return [
      { type: 'response.output_item.added', output_index: index, item: callItem(one, 'in_progress') },
      { type: 'response.function_call_arguments.delta', ...of, delta: given },
      { type: 'response.function_call_arguments.done', ...of, name: one.function.name, arguments: given },
      { type: 'response.output_item.done', output_index: index, item: callItem(one) },
    ]
  }

  return {
    collected,
    close,
    piece: (piece: Exclude<AnswerPiece, { type: 'end' }>): Draft[] => {
      if (piece.type === 'calls') {
        collected.calls = piece.calls
        return [...close(), ...piece.calls.flatMap(call)]
      }
      // Thoughts between two texts are part of the reasoning item that is already closed.
      if (piece.type === 'reasoning') {
        if (collected.text !== '') return []
        const begun = begin('reasoning')
        collected.reasoning += piece.text
        return [
          ...begun,
          {
            type: 'response.reasoning_summary_text.delta',
            item_id: reasoningItem(id, '').id,
            output_index: index,
            summary_index: 0,
            delta: piece.text,
          },
        ]
      }
      const begun = begin('message')
      collected.text += piece.text
      return [...begun, { type: 'response.output_text.delta', ...part(), delta: piece.text, logprobs: [] }]
    },
  }
}

export const failedResponse = (begun: OpenAiResponse, error: unknown): OpenAiResponse => ({
  ...begun,
  status: 'failed',
  error: { code: 'server_error', message: toFailure(error).message },
})

export const streamResponse = (ctx: Ctx<Member>, begun: OpenAiResponse, given: FollowedAnswer): EventStream => ({
  single: true,
  foreign: { end: '', failed: (failure) => ({ ...openAiError(failure).error, type: 'error' }) },
  async *open(signal) {
    let number = -1
    const event = ({ type, ...rest }: Draft): StreamEvent => {
      number += 1
      return { type: 'update', name: type, data: { type, sequence_number: number, ...rest } }
    }
    yield event({ type: 'response.created', response: begun })
    yield event({ type: 'response.in_progress', response: begun })
    const output = createOutput(begun.id)
    try {
      for await (const piece of completedPieces(ctx, given, { waits: true }, signal)) {
        if (piece.type !== 'end') {
          for (const draft of output.piece(piece)) yield event(draft)
          continue
        }
        for (const draft of output.close()) yield event(draft)
        const { ending, usage } = piece
        const response = completedResponse(begun, { ...output.collected, ending, usage })
        yield event({ type: `response.${response.status}`, response })
      }
    } catch (error) {
      if (signal.aborted) throw error
      ctx.log.debug({ err: error }, 'a streamed response failed')
      yield event({ type: 'response.failed', response: failedResponse(begun, error) })
    }
  },
})
