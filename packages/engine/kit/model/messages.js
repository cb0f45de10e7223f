// Turns the conversation of a model call into messages of the AI SDK.

import { readFile } from 'node:fs/promises'
import { jsonSchema, tool } from 'ai'

export async function toMessages(input, toolCallOptions) {
  const turns = [...(input.context ?? [])]
  const current = { role: input.role ?? 'user', ...pick(input, ['text', 'images', 'files', 'tool_call_id']) }
  if (hasContent(current)) turns.push(current)
  const toolNames = new Map(
    turns.flatMap((turn) => (turn.tool_calls ?? []).map((call) => [call.id, call.function.name])),
  )
  const messages = []
  for (const turn of turns) messages.push(await toMessage(turn, toolNames, toolCallOptions))
  return messages
}

const pick = (source, keys) =>
  Object.fromEntries(
    keys.filter((key) => source[key] !== undefined && source[key] !== null).map((key) => [key, source[key]]),
  )

const hasContent = ({ text, images, files, tool_call_id: toolCallId }) =>
  Boolean(text) || (images?.length ?? 0) > 0 || (files?.length ?? 0) > 0 || Boolean(toolCallId)

async function toMessage(turn, toolNames, toolCallOptions) {
  if (turn.role === 'tool' || (turn.tool_call_id && turn.role !== 'assistant')) return toToolMessage(turn, toolNames)
  if (turn.role === 'assistant') return { role: 'assistant', content: assistantParts(turn, toolCallOptions) }
  if (turn.role === 'system') return { role: 'system', content: turn.text ?? '' }
  const parts = turn.text ? [{ type: 'text', text: turn.text }] : []
  for (const image of turn.images ?? []) parts.push(await toFilePart(image, 'image/png'))
  for (const file of turn.files ?? []) parts.push(await toFilePart(file, 'application/octet-stream'))
  return { role: 'user', content: parts }
}

const toToolMessage = (turn, toolNames) => ({
  role: 'tool',
  content: [
    {
      type: 'tool-result',
      toolCallId: turn.tool_call_id,
      toolName: toolNames.get(turn.tool_call_id) ?? 'unknown',
      output: { type: 'text', value: turn.text ?? '' },
    },
  ],
})

const assistantParts = (turn, toolCallOptions) => [
  ...(turn.text ? [{ type: 'text', text: turn.text }] : []),
  ...(turn.tool_calls ?? []).map((call) => ({
    type: 'tool-call',
    toolCallId: call.id,
    toolName: call.function.name,
    input: parseArguments(call.function.arguments),
    ...(toolCallOptions && { providerOptions: toolCallOptions }),
  })),
]

// Arguments come as an object or as JSON text; a model's broken text is handed back as it was.
function parseArguments(given) {
  if (typeof given !== 'string') return given ?? {}
  try {
    return JSON.parse(given || '{}')
  } catch {
    return { text: given }
  }
}

// The engine has downloaded the file. Text goes in as text, everything else as data.
async function toFilePart(file, fallbackType) {
  const mediaType =
    file.content_type && file.content_type !== 'application/octet-stream' ? file.content_type : fallbackType
  const bytes = await readFile(file.path)
  if (mediaType.startsWith('text/') || mediaType === 'application/json') {
    return { type: 'text', text: `${file.filename}:\n${bytes.toString('utf8')}` }
  }
  return { type: 'file', data: bytes, mediaType, filename: file.filename }
}

export function toTools(definitions) {
  const named = (definitions ?? [])
    .map((definition) => definition.function ?? definition)
    .filter((definition) => definition?.name)
  if (named.length === 0) return {}
  const none = { type: 'object', properties: {} }
  const entries = named.map(({ name, description, parameters }) => [
    name,
    tool({ description: description ?? '', inputSchema: jsonSchema(parameters ?? none) }),
  ])
  return { tools: Object.fromEntries(entries) }
}

export function toToolChoice(choice) {
  if (!choice?.mode) return {}
  return { toolChoice: choice.mode === 'function' ? { type: 'tool', toolName: choice.name } : choice.mode }
}
