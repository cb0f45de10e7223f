// Code that the entry points for clients of other protocols share: the answer of a run as pieces (text, thoughts, calls
// for the client, and the end). Text is sent once, also when a delta is lost or an event arrives twice: the complete
// message completes it.
import type { AgentRun, ChatMessage, ToolInvocation } from '@millrace/contract/chats'
import { isInvocationOver, isRunOver } from '@millrace/contract/chats'
import { isErrorCode } from '@millrace/contract/errors'
import { followAnswer, type RunAnswer, usageOfAnswer } from '#agents/chats/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { type Failure, fail } from '#platform/core/errors.ts'

/** The same limit as for the attachments of messages. */
const maxUriLength = 2_000_000

/** The address or data URI of a file in a message; `upload` names the way for larger files. */
export const uriOf = (uri: string, upload: string): string => {
  if (uri.length <= maxUriLength) return uri
  const detail = `A file in a message must not exceed ${maxUriLength} characters; upload it with ${upload}`
  throw fail('validation_error', { detail, meta: { field: 'file' } })
}

export type AnswerUsage = Awaited<ReturnType<typeof usageOfAnswer>>

/** `asked`: the answer ends with a question to a person, as text. */
export type AnswerEnd = 'stop' | 'length' | 'content_filter' | 'tool_calls' | 'asked'

export type AnswerPiece =
  /** `isQuestion`: words of the server about what the run waits for. */
  | { type: 'text'; text: string; isQuestion?: true }
  | { type: 'reasoning'; text: string }
  | { type: 'calls'; calls: readonly ToolInvocation[] }
  | { type: 'end'; ending: AnswerEnd; usage: AnswerUsage }

export const textIn = ({ content }: ChatMessage, type: 'text' | 'reasoning'): string =>
  content
    .filter((item) => item.type === type)
    .map(({ text = '' }) => text)
    .join('\n')

const isForClient = ({ type, status }: ToolInvocation): boolean => type === 'client' && status === 'awaiting_input'

/** The calls that the client must execute, once nothing else of the turn is open. */
export const callsForClient = ({ tool_invocations: calls }: ChatMessage): ToolInvocation[] => {
  const open = calls.filter(({ status }) => !isInvocationOver(status))
  return open.length > 0 && open.every(isForClient) ? open : []
}

/** Hook callbacks wait for a program. */
const waitsForPerson = ({ type, status }: ToolInvocation): boolean =>
  status === 'awaiting_approval' || (status === 'awaiting_input' && type !== 'client' && type !== 'hook')

export const failureOf = ({ error = '', metadata }: AgentRun): Failure => {
  const { error_code: code } = (metadata ?? {}) as { error_code?: string }
  const detail = error || 'The model did not answer'
  // A repetition would pay for the same failure again.
  const headers = { 'x-should-retry': 'false' }
  return fail(code !== undefined && isErrorCode(code) ? code : 'model_failed', { detail, headers })
}

const endingOf = ({ state }: AgentRun, { stop }: AnswerUsage): AnswerEnd => {
  if (state === 'rejected') return 'content_filter'
  if (stop === 'length' || stop === 'max_tokens') return 'length'
  return stop === 'content-filter' || stop === 'content_filter' ? 'content_filter' : 'stop'
}

const chatAddress = (ctx: Ctx<Actor>, chatId: string): string => `${ctx.settings.APP_URL}/console/chats/${chatId}`

const inWords: Record<string, string> = {
  auth: 'The agent waits for a connection to another service',
  confirmation: 'The agent waits for a confirmation',
  hook_gate: 'The agent waits for an approval',
}

const questionOf = (call: ToolInvocation): string =>
  call.status === 'awaiting_approval'
    ? `The agent waits for an approval of \`${call.function.name}\``
    : `The agent waits for an answer to \`${call.function.name}\``

/** The texts of messages as one text. */
export const paragraphBreak = '\n\n'

/** Tracks the text that was sent of each message. */
const createSent = () => {
  const sent = new Map<string, { text: string; reasoning: string }>()
  const complete = new Set<string>()
  let hasText = false
  const of = (id: string) => {
    const known = sent.get(id) ?? { text: '', reasoning: '' }
    sent.set(id, known)
    return known
  }
  const add = (id: string, kind: 'text' | 'reasoning', text: string): AnswerPiece[] => {
    if (text === '') return []
    const message = of(id)
    const isFirst = kind === 'text' && message.text === ''
    message[kind] += text
    if (kind === 'reasoning') return [{ type: 'reasoning', text }]
    const before = isFirst && hasText ? paragraphBreak : ''
    hasText = true
    return [{ type: 'text', text: before + text }]
  }
  return {
    get hasText() {
      return hasText
    },
    delta: (id: string, kind: 'text' | 'reasoning', text: string): AnswerPiece[] =>
      complete.has(id) ? [] : add(id, kind, text),
    message: (message: ChatMessage): AnswerPiece[] => {
      const { id, status } = message
      if (status !== 'ready' || complete.has(id)) return []
      complete.add(id)
      const remainingOf = (kind: 'text' | 'reasoning'): string => {
        const fullText = textIn(message, kind)
        return fullText.startsWith(of(id)[kind]) ? fullText.slice(of(id)[kind].length) : ''
      }
      return [...add(id, 'reasoning', remainingOf('reasoning')), ...add(id, 'text', remainingOf('text'))]
    },
  }
}

/** Questions to people, each at most once. */
const createQuestions = (ctx: Ctx<Actor>, chatId: string) => {
  const questionKeys = new Set<string>()
  const questionOnce = (key: string, sentence: string): string[] => {
    if (questionKeys.has(key)) return []
    questionKeys.add(key)
    return [`${sentence}. Answer it here: ${chatAddress(ctx, chatId)}`]
  }
  return {
    ofMessage: (message: ChatMessage): string[] =>
      message.tool_invocations.filter(waitsForPerson).flatMap((call) => questionOnce(call.id, questionOf(call))),
    ofRun: ({ state, interrupt_reason: reason = '' }: AgentRun): string[] =>
      isRunOver(state) || inWords[reason] === undefined ? [] : questionOnce(reason, inWords[reason]),
  }
}

const outputText = ({ output }: AgentRun): string =>
  output === undefined || output === null ? '' : typeof output === 'string' ? output : JSON.stringify(output)

/** `waits`: the answer waits for people; otherwise it ends with the first question to them. */
export async function* piecesOf(
  ctx: Ctx<Actor>,
  answer: RunAnswer,
  { waits }: { waits: boolean },
  signal: AbortSignal,
): AsyncGenerator<AnswerPiece> {
  const sent = createSent()
  const questions = createQuestions(ctx, answer.chat.id)
  const end = async (ending: (usage: AnswerUsage) => AnswerEnd): Promise<AnswerPiece> => {
    const usage = await usageOfAnswer(ctx, answer)
    return { type: 'end', ending: ending(usage), usage }
  }
  for await (const update of followAnswer(ctx, answer, signal)) {
    if (update.type === 'delta') {
      yield* sent.delta(update.messageId, update.kind, update.text)
      continue
    }
    if (update.type === 'message') yield* sent.message(update.message)
    const calls = update.type === 'message' ? callsForClient(update.message) : []
    if (calls.length > 0) {
      yield { type: 'calls', calls }
      return yield await end(() => 'tool_calls')
    }
    const questionKeys = update.type === 'message' ? questions.ofMessage(update.message) : questions.ofRun(update.run)
    for (const question of questionKeys)
      yield {
        type: 'text',
        text: `${sent.hasText ? paragraphBreak : ''}${question}${paragraphBreak}`,
        isQuestion: true,
      }
    if (questionKeys.length > 0 && !waits) return yield await end(() => 'asked')
    if (update.type !== 'run' || !isRunOver(update.run.state)) continue
    const { run } = update
    if (run.state === 'failed') throw failureOf(run)
    if (!sent.hasText)
      yield* [{ type: 'text' as const, text: run.state === 'rejected' ? (run.error ?? '') : outputText(run) }]
    return yield await end((usage) => endingOf(run, usage))
  }
}
