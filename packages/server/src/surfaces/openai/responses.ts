// Answers in the form of the responses API: whole, and read again by their id.
import type { ChatMessage, ToolInvocation } from '@millrace/contract/chats'
import { isRunOver } from '@millrace/contract/chats'
import type { OpenAiResponse } from '@millrace/contract/openai'
import {
  deleteChat,
  findAnswer,
  type ModelRequest,
  messagesOfAnswer,
  type RunAnswer,
  stopChat,
  usageOfAnswer,
} from '#agents/chats/service.ts'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { isFailure } from '#platform/core/errors.ts'
import { type AnswerUsage, callsForClient, paragraphBreak, textIn } from '../answers/service.ts'
import { callId, ofResponse, responseId } from './answer-ids.ts'
import { type Collected, collect, completedPieces, type FollowedAnswer } from './chat-completions.ts'
import type { OpenAiTurn } from './conversation.ts'
import { beginAnswer } from './turn.ts'

type Ctxm = Ctx<Member>

export type ResponseSettings = Pick<
  OpenAiResponse,
  'model' | 'instructions' | 'previous_response_id' | 'store' | 'metadata'
>

export const responseSettingsOf = (turn: OpenAiTurn): ResponseSettings => ({
  model: turn.model,
  instructions: turn.request.instructions ?? null,
  previous_response_id: turn.previousId === '' ? null : turn.previousId,
  store: turn.isStored,
  metadata: turn.metadata,
})

const usageOf = ({ prompt_tokens, completion_tokens, total_tokens, reasoning_tokens, cached_tokens }: AnswerUsage) => ({
  input_tokens: prompt_tokens,
  input_tokens_details: { cached_tokens },
  output_tokens: completion_tokens,
  output_tokens_details: { reasoning_tokens },
  total_tokens,
})

export const emptyResponse = (id: string, createdAt: number, described: ResponseSettings): OpenAiResponse => ({
  id,
  object: 'response',
  created_at: createdAt,
  status: 'in_progress',
  output: [],
  output_text: '',
  error: null,
  incomplete_details: null,
  parallel_tool_calls: true,
  tool_choice: 'auto',
  tools: [],
  usage: null,
  ...described,
})

/** The result of `run`, which an idempotency key stores; the answer itself follows. */
export const beginResponse = async (ctx: Ctxm, turn: OpenAiTurn): Promise<OpenAiResponse> =>
  emptyResponse(
    responseId(await beginAnswer(ctx, turn)),
    Math.floor(ctx.now().getTime() / 1000),
    responseSettingsOf(turn),
  )

export const messageItem = (id: string, status: string, text: string) => ({
  id: `msg_${ofResponse(id)}`,
  type: 'message',
  status,
  role: 'assistant',
  content: text === '' && status === 'in_progress' ? [] : [{ type: 'output_text', text, annotations: [] }],
})

export const reasoningItem = (id: string, text: string) => ({
  id: `rs_${ofResponse(id)}`,
  type: 'reasoning',
  summary: [{ type: 'summary_text', text }],
})

export const callItem = (call: ToolInvocation, status = 'completed') => ({
  id: `fc_${call.id}`,
  type: 'function_call',
  status,
  call_id: callId(call.id),
  name: call.function.name,
  arguments: status === 'completed' ? JSON.stringify(call.function.arguments) : '',
})

export const completedResponse = (
  begun: OpenAiResponse,
  { text, reasoning, calls, ending, usage }: Collected,
): OpenAiResponse => {
  const incomplete = { length: 'max_output_tokens', content_filter: 'content_filter' } as const
  const reason = ending === 'length' || ending === 'content_filter' ? incomplete[ending] : undefined
  return {
    ...begun,
    status: reason ? 'incomplete' : 'completed',
    incomplete_details: reason ? { reason } : null,
    output: [
      ...(reasoning === '' ? [] : [reasoningItem(begun.id, reasoning)]),
      ...(text === '' && calls.length > 0 ? [] : [messageItem(begun.id, reason ? 'incomplete' : 'completed', text)]),
      ...calls.map((call) => callItem(call)),
    ],
    output_text: text,
    usage: usageOf(usage),
  }
}

export const awaitResponse = async (ctx: Ctxm, begun: OpenAiResponse, given: FollowedAnswer): Promise<OpenAiResponse> =>
  completedResponse(begun, await collect(completedPieces(ctx, given, { waits: false }, ctx.signal)))

const collected = (messages: readonly ChatMessage[], usage: AnswerUsage): Collected => {
  // An answer ends with calls for the client; later messages belong to the next answer.
  const end = messages.findIndex(({ tool_invocations: calls }) => calls.some(({ type }) => type === 'client'))
  const own = end === -1 ? messages : messages.slice(0, end + 1)
  const complete = (kind: 'text' | 'reasoning') =>
    own.map((message) => textIn(message, kind)).filter((text) => text !== '')
  return {
    text: complete('text').join(paragraphBreak),
    reasoning: complete('reasoning').join(''),
    calls: own.at(-1)?.tool_invocations.filter(({ type }) => type === 'client') ?? [],
    ending: usage.stop === 'length' ? 'length' : 'stop',
    usage,
  }
}

const describedByRun = ({ run, chat }: RunAnswer): ResponseSettings => {
  const { model = '', instructions = null } = (run.model_request ?? {}) as ModelRequest
  const { channel_metadata: channel } = (chat.channel_context ?? {}) as { channel_metadata?: { metadata?: object } }
  const metadata = { ...(channel?.metadata as Record<string, unknown> | undefined) }
  return { model, instructions, previous_response_id: null, store: true, metadata }
}

export const getResponse = async (ctx: Ctxm, id: string): Promise<OpenAiResponse> => {
  const answer = await findAnswer(ctx, ofResponse(id))
  const { run } = answer
  const begun = emptyResponse(
    responseId(answer.id),
    Math.floor(Date.parse(run.created_at) / 1000),
    describedByRun(answer),
  )
  const messages = await messagesOfAnswer(ctx, answer)
  const isPaused = messages.some((message) => callsForClient(message).length > 0)
  if (!isRunOver(run.state) && !isPaused) return begun
  const complete = completedResponse(begun, collected(messages, await usageOfAnswer(ctx, answer)))
  if (run.state === 'canceled') return { ...complete, status: 'cancelled' }
  if (run.state !== 'failed') return complete
  return { ...complete, status: 'failed', error: { code: 'server_error', message: run.error } }
}

/** A response is one answer of a chat, so its chat is deleted with it. */
export const deleteResponse = async (ctx: Ctxm, id: string) => {
  const { chat } = await findAnswer(ctx, ofResponse(id))
  await deleteChat(ctx, chat.id).catch((error: unknown) => {
    if (!isFailure(error, 'not_found')) throw error
  })
  return { id, object: 'response.deleted', deleted: true as const }
}

export const cancelResponse = async (ctx: Ctxm, id: string): Promise<OpenAiResponse> => {
  const { chat, run } = await findAnswer(ctx, ofResponse(id))
  if (chat.active_run_id === run.id) await stopChat(ctx, chat.id)
  return getResponse(ctx, id)
}
