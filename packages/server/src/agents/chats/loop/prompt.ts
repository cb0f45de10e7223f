// Builds the prompt: the conversation as turns of the model call contract, ending with the turn to answer. Tool results
// come from the call rows. Pure.
import type { ContentItem } from '@millrace/contract/chats'
import { isRecord } from '@millrace/contract/json'

export type ModelTurn = {
  role: 'system' | 'user' | 'assistant' | 'tool'
  text?: string
  reasoning?: string
  images?: string[]
  files?: string[]
  tool_calls?: unknown[]
  tool_call_id?: string
}

export type PromptMessage = { id: string; role: string; status: string; content: readonly ContentItem[] }
export type PromptCall = {
  chat_message_id: string
  call_id: string
  name: string
  status: string
  result: string | null
  arguments: unknown
}

const textIn = (content: readonly ContentItem[], type: ContentItem['type']): string =>
  content
    .filter((item) => item.type === type)
    .map((item) => item.text ?? '')
    .join('\n')

const urisIn = (content: readonly ContentItem[], type: 'image' | 'file'): string[] =>
  content.flatMap((item) => (item.type === type ? (item[type] ?? []) : []))

const userTurn = (content: readonly ContentItem[]): ModelTurn => {
  const images = urisIn(content, 'image')
  const files = urisIn(content, 'file')
  return {
    role: 'user',
    text: textIn(content, 'text'),
    ...(images.length > 0 && { images }),
    ...(files.length > 0 && { files }),
  }
}

const outcomeOf = ({ status, result }: PromptCall): string => {
  const text = result ?? ''
  if (status === 'completed') return text
  if (status === 'cancelled') return text || 'The call was canceled.'
  return text === '' ? 'The call failed.' : text
}

const assistantTurns = (message: PromptMessage, calls: readonly PromptCall[]): ModelTurn[] => {
  const own = calls.filter((call) => call.chat_message_id === message.id)
  const reasoning = textIn(message.content, 'reasoning')
  const turn: ModelTurn = {
    role: 'assistant',
    text: textIn(message.content, 'text'),
    ...(reasoning !== '' && { reasoning }),
    ...(own.length > 0 && {
      tool_calls: own.map((call) => ({
        id: call.call_id,
        type: 'function',
        function: { name: call.name, arguments: JSON.stringify(call.arguments) },
      })),
    }),
  }
  const results = own.map((call): ModelTurn => ({ role: 'tool', text: outcomeOf(call), tool_call_id: call.call_id }))
  return turn.text === '' && own.length === 0 ? [] : [turn, ...results]
}

const turnFollower = (message: PromptMessage, calls: readonly PromptCall[]): ModelTurn[] => {
  switch (message.role) {
    case 'user':
      return [userTurn(message.content)]
    case 'assistant':
      return message.status === 'ready' ? assistantTurns(message, calls) : []
    case 'compaction':
      return [{ role: 'user', text: `Summary of the conversation so far:\n${textIn(message.content, 'text')}` }]
    case 'injection':
      return [{ role: 'system', text: textIn(message.content, 'text') }]
    case 'system':
      return [{ role: 'system', text: textIn(message.content, 'text') }]
    default:
      return []
  }
}

export const conversation = (messages: readonly PromptMessage[], calls: readonly PromptCall[]): ModelTurn[] =>
  messages.flatMap((message) => turnFollower(message, calls))

/**
 * Inserts the messages injected by handlers. User messages come last, but before an unanswered message, so that it
 * remains the question. Assistant messages come before those.
 */
export const withInjected = (
  turns: readonly ModelTurn[],
  injected: readonly { role: 'user' | 'assistant'; text: string }[],
): ModelTurn[] => {
  const lastQuestion = turns.findLastIndex(({ role }) => role === 'user')
  const before = lastQuestion === -1 ? turns.length : lastQuestion
  const own = injected.filter(({ role }) => role === 'assistant')
  const others = injected.filter(({ role }) => role === 'user')
  const endsWithQuestion = lastQuestion === turns.length - 1
  return [
    ...turns.slice(0, before),
    ...own,
    ...(endsWithQuestion ? others : []),
    ...turns.slice(before),
    ...(endsWithQuestion ? [] : others),
  ]
}

/** About four characters per token: accurate enough to detect a long conversation. */
export const tokensOf = (turns: readonly ModelTurn[], systemPrompt: string): number =>
  Math.ceil((JSON.stringify(turns).length + systemPrompt.length) / 4)

/** Drops empty settings, so that a model app need not distinguish empty from missing. */
const meaningful = (settings: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(isRecord(settings) ? settings : {}).filter(
      ([, value]) => value !== null && !(isRecord(value) && Object.keys(value).length === 0),
    ),
  )

export type ModelCall = {
  turns: readonly ModelTurn[]
  systemPrompt: string
  settings: unknown
  tools: readonly unknown[]
}

export const modelInput = ({ turns, systemPrompt, settings, tools }: ModelCall): Record<string, unknown> => {
  const last = turns.at(-1)
  return {
    ...meaningful(settings),
    system_prompt: systemPrompt,
    ...(tools.length > 0 && { tools }),
    context: turns.slice(0, -1),
    role: last?.role ?? 'user',
    text: last?.text ?? '',
    ...(last?.images && { images: last.images }),
    ...(last?.files && { files: last.files }),
    ...(last?.tool_call_id !== undefined && { tool_call_id: last.tool_call_id }),
  }
}
