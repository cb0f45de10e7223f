// The conversation of a request, in the form of both APIs. Pure.
import type { ContentItem } from '@millrace/contract/chats'
import { isRecord } from '@millrace/contract/json'
import type { OpenAiPart } from '@millrace/contract/openai'
import { readUntrustedJson } from '@millrace/contract/parse-untrusted'
import type { ModelRequest, PastMessage, RequestedTool } from '#agents/chats/service.ts'
import { fail } from '#platform/core/errors.ts'
import { uriOf } from '../answers/service.ts'

/** The result of a tool that the client executed. */
export type ToolResult = { callId: string; text: string }

/** One message, call or result of a request, in the order of the conversation. */
export type ConversationItem =
  | { kind: 'message'; role: string; content: ContentItem[] }
  | { kind: 'call'; callId: string; name: string; arguments: string }
  | { kind: 'result'; callId: string; text: string }

export type ReadConversation = {
  instructions: string
  past: PastMessage[]
  /** The new message; null if the conversation ends with results of tools. */
  content: ContentItem[] | null
  results: ToolResult[]
}

export type OpenAiTurn = ReadConversation & {
  channelType: 'openai' | 'ag-ui'
  model: string
  request: ModelRequest
  user: string
  metadata: Record<string, string>
  isStored: boolean
  previousId: string
}

const invalid = (detail: string, field: string) => fail('validation_error', { detail, meta: { field } })

const fileUri = (uri: string): string => uriOf(uri, 'POST /v1/files')

/** Refers to an uploaded file until its address is known. */
export const fileIdPrefix = 'file-id:'

const imageItem = (given: unknown): ContentItem => {
  const url = isRecord(given) ? given.url : given
  if (typeof url !== 'string' || url === '') throw invalid('image_url must be a URL or a data URI', 'image_url')
  return { type: 'image', image: fileUri(url) }
}

const fileItem = (part: Record<string, unknown>): ContentItem => {
  const { file_id: id, file_data: data, file_url: url, filename } = part
  const named = typeof filename === 'string' ? { filename } : {}
  if (typeof id === 'string' && id !== '') return { type: 'file', file: `${fileIdPrefix}${id}`, ...named }
  const uri = typeof data === 'string' && data !== '' ? data : url
  if (typeof uri === 'string' && uri !== '') return { type: 'file', file: fileUri(uri), ...named }
  throw invalid('A file needs file_id, file_data or file_url', 'file')
}

const itemOf = (part: OpenAiPart): ContentItem => {
  switch (part.type ?? 'text') {
    case 'text':
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: part.text ?? '' }
    case 'refusal':
      return { type: 'text', text: part.refusal ?? '' }
    case 'image_url':
    case 'input_image':
      return part.file_id ? fileItem(part) : imageItem(part.image_url)
    case 'file':
    case 'input_file':
      return fileItem(part.file ?? part)
    default:
      throw invalid(`Content of the type ${part.type} is not supported`, 'messages')
  }
}

export const contentOf = (content: string | readonly OpenAiPart[] | undefined): ContentItem[] => {
  if (content === undefined) return []
  const items = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content.map(itemOf)
  return items.filter(({ type, text }) => type !== 'text' || text !== '')
}

export const textOf = (content: readonly ContentItem[]): string =>
  content
    .filter(({ type }) => type === 'text')
    .map(({ text = '' }) => text)
    .join('\n')

const isInstruction = (item: ConversationItem | undefined): boolean =>
  item?.kind === 'message' && (item.role === 'system' || item.role === 'developer')

const argumentsOf = (text: string): Record<string, unknown> => {
  const read = readUntrustedJson(text === '' ? '{}' : text)
  return isRecord(read) ? read : {}
}

const roleOf = (role: string): PastMessage['role'] => {
  if (role === 'user' || role === 'assistant') return role
  if (role === 'system' || role === 'developer') return 'system'
  throw invalid(`The role ${role} is not supported`, 'messages')
}

/** Messages with their calls and the results of these calls. */
const pastOf = (items: readonly ConversationItem[]): PastMessage[] => {
  const results = new Map(items.flatMap((item) => (item.kind === 'result' ? [[item.callId, item.text] as const] : [])))
  const past: { role: PastMessage['role']; content: ContentItem[]; calls: PastMessage['calls'][number][] }[] = []
  for (const item of items) {
    if (item.kind === 'message') past.push({ role: roleOf(item.role), content: item.content, calls: [] })
    if (item.kind !== 'call') continue
    const last = past.at(-1)
    const speaker = last?.role === 'assistant' ? last : { role: 'assistant' as const, content: [], calls: [] }
    if (speaker !== last) past.push(speaker)
    const { callId, name } = item
    speaker.calls.push({ callId, name, arguments: argumentsOf(item.arguments), result: results.get(callId) ?? null })
  }
  return past.filter(({ content, calls }) => content.length > 0 || calls.length > 0)
}

export const readConversation = (items: readonly ConversationItem[], field: string): ReadConversation => {
  const start = items.findIndex((item) => !isInstruction(item))
  const leading = start === -1 ? items : items.slice(0, start)
  const newItems = start === -1 ? [] : items.slice(start)
  const instructions = leading
    .map((item) => (item.kind === 'message' ? textOf(item.content) : ''))
    .filter((text) => text !== '')
    .join('\n\n')
  const last = newItems.at(-1)
  if (last?.kind === 'message' && last.role === 'user' && last.content.length > 0)
    return { instructions, past: pastOf(newItems.slice(0, -1)), content: last.content, results: [] }
  if (last?.kind !== 'result') throw invalid('The last message must be from the user or the result of a tool', field)
  const from = newItems.findLastIndex(({ kind }) => kind !== 'result') + 1
  const results = newItems.slice(from).flatMap((item) => (item.kind === 'result' ? [item] : []))
  return { instructions, past: pastOf(newItems), content: null, results }
}

/** `auto`, `none`, `required`, or a function. */
export const toolChoiceOf = (given: unknown): Record<string, unknown> | undefined => {
  if (given === 'auto' || given === 'none' || given === 'required') return { mode: given }
  if (!isRecord(given)) return undefined
  const { name } = isRecord(given.function) ? given.function : given
  return typeof name === 'string' ? { mode: 'function', name } : undefined
}

/** `{type, json_schema: {name, schema, strict}}`, or the flat form of the responses API. */
export const responseFormatOf = (given: Record<string, unknown> | undefined): Record<string, unknown> | undefined => {
  if (!given || given.type === 'text' || typeof given.type !== 'string') return undefined
  const { name = 'answer', schema, strict = false } = isRecord(given.json_schema) ? given.json_schema : given
  return { type: given.type, ...(given.type === 'json_schema' && { name, json_schema: schema, strict }) }
}

export const withoutAbsent = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

type GivenFunction = { name?: string; description?: string; parameters?: Record<string, unknown> }

const toolName = /^[a-zA-Z0-9_-]{1,64}$/

export const toolOf = ({ name = '', description = '', parameters }: GivenFunction): RequestedTool => {
  if (!toolName.test(name)) throw invalid('The name of a tool must match ^[a-zA-Z0-9_-]{1,64}$', 'tools')
  return { name, description, parameters: parameters ?? { type: 'object', properties: {} } }
}

export const assertFunction = (type: string | undefined): void => {
  if (type !== undefined && type !== 'function')
    throw invalid(`Tools of the type ${type} are not supported; give the agent such a tool instead`, 'tools')
}
