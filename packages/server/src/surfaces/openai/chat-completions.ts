// Answers in the form of chat completions: whole, or as chunks.
import type { ToolInvocation } from '@millrace/contract/chats'
import type { ChatCompletion, CreateChatCompletion } from '@millrace/contract/openai'
import { deleteChat, findAnswer, type RunAnswer } from '#agents/chats/service.ts'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import type { EventStream, StreamEvent } from '#platform/core/event-stream.ts'
import { openAiError } from '#platform/http/openai-error.ts'
import { type AnswerEnd, type AnswerPiece, type AnswerUsage, piecesOf } from '../answers/service.ts'
import { callId, completionId, ofCompletion } from './answer-ids.ts'
import type { OpenAiTurn } from './conversation.ts'
import { beginAnswer, rememberConversation } from './turn.ts'

type Ctxm = Ctx<Member>

const secondsOf = (time: string): number => Math.floor(Date.parse(time) / 1000)

/** The result of `run`, which an idempotency key stores; the answer itself follows. */
export const beginCompletion = async (ctx: Ctxm, turn: OpenAiTurn): Promise<ChatCompletion> => ({
  id: completionId(await beginAnswer(ctx, turn)),
  object: 'chat.completion',
  created: Math.floor(ctx.now().getTime() / 1000),
  model: turn.model,
  choices: [],
})

const usageOf = ({ prompt_tokens, completion_tokens, total_tokens, reasoning_tokens, cached_tokens }: AnswerUsage) => ({
  prompt_tokens,
  completion_tokens,
  total_tokens,
  prompt_tokens_details: { cached_tokens },
  completion_tokens_details: { reasoning_tokens },
})

const finishOf = (ending: AnswerEnd) => (ending === 'asked' ? 'stop' : ending)

const toolCall = (call: ToolInvocation) => ({
  id: callId(call.id),
  type: 'function' as const,
  function: { name: call.function.name, arguments: JSON.stringify(call.function.arguments) },
})

export type FollowedAnswer = { turn: OpenAiTurn; answer: RunAnswer }

/** Follows the pieces; the complete text is remembered, or the chat deleted if the client does not want it stored. */
export async function* completedPieces(
  ctx: Ctxm,
  { turn, answer }: FollowedAnswer,
  options: { waits: boolean },
  signal: AbortSignal,
): AsyncGenerator<AnswerPiece> {
  let text = ''
  for await (const piece of piecesOf(ctx, answer, options, signal)) {
    if (piece.type === 'text') text += piece.text
    if (piece.type === 'end' && piece.ending !== 'tool_calls' && piece.ending !== 'asked') {
      if (turn.isStored) await rememberConversation(ctx, turn, answer, text)
      else await deleteChat(ctx, answer.chat.id)
    }
    yield piece
  }
}

/** A completed request that is repeated with its key may name an answer that was not stored. */
export const followed = async (ctx: Ctxm, turn: OpenAiTurn, id: string): Promise<FollowedAnswer> => ({
  turn,
  answer: await findAnswer(ctx, ofCompletion(id)),
})

export type Collected = {
  text: string
  reasoning: string
  calls: readonly ToolInvocation[]
  ending: AnswerEnd
  usage: AnswerUsage
}

export const collect = async (pieces: AsyncIterable<AnswerPiece>): Promise<Collected> => {
  let [text, reasoning] = ['', '']
  let calls: readonly ToolInvocation[] = []
  for await (const piece of pieces) {
    if (piece.type === 'text') text += piece.text
    else if (piece.type === 'reasoning') reasoning += piece.text
    else if (piece.type === 'calls') calls = piece.calls
    else return { text, reasoning, calls, ending: piece.ending, usage: piece.usage }
  }
  throw fail('unavailable', 'The answer was interrupted; the chat continues on the server')
}

export const awaitCompletion = async (
  ctx: Ctxm,
  begun: ChatCompletion,
  given: FollowedAnswer,
): Promise<ChatCompletion> => {
  const { text, reasoning, calls, ending, usage } = await collect(
    completedPieces(ctx, given, { waits: false }, ctx.signal),
  )
  const message = {
    role: 'assistant' as const,
    content: text === '' && calls.length > 0 ? null : text,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    refusal: null,
    ...(calls.length > 0 && { tool_calls: calls.map(toolCall) }),
  }
  return {
    ...begun,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishOf(ending) }],
    usage: usageOf(usage),
    metadata: { chat_id: given.answer.chat.id },
  }
}

const deltaOf = (piece: Exclude<AnswerPiece, { type: 'end' }>): object => {
  if (piece.type === 'text') return { content: piece.text }
  if (piece.type === 'reasoning') return { reasoning_content: piece.text }
  return { tool_calls: piece.calls.map((call, index) => ({ index, ...toolCall(call) })) }
}

const openAiStream = { end: 'data: [DONE]\n\n', failed: openAiError }

export const streamCompletion = (
  ctx: Ctxm,
  { id, model }: ChatCompletion,
  given: FollowedAnswer,
  { stream_options: options }: CreateChatCompletion,
): EventStream => {
  const { chat, run } = given.answer
  const base = { id, object: 'chat.completion.chunk', created: secondsOf(run.created_at), model }
  const chunk = (more: object): StreamEvent => ({ type: 'update', data: { ...base, ...more } })
  const choice = (delta: object, finish_reason: string | null = null) =>
    chunk({ choices: [{ index: 0, delta, logprobs: null, finish_reason }] })
  return {
    single: true,
    foreign: openAiStream,
    async *open(signal) {
      const begins = {
        choices: [{ index: 0, delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null }],
      }
      yield chunk({ ...begins, metadata: { chat_id: chat.id } })
      for await (const piece of completedPieces(ctx, given, { waits: true }, signal)) {
        if (piece.type !== 'end') {
          yield choice(deltaOf(piece))
          continue
        }
        yield choice({}, finishOf(piece.ending))
        if (options?.include_usage) yield chunk({ choices: [], usage: usageOf(piece.usage) })
      }
    },
  }
}
