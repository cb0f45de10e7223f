// Converts the conversation of a model call into the prompt format of the providers' packages.

import { readFile } from 'node:fs/promises'

export async function toPrompt(input, toolCallOptions) {
  const turns = [...(input.context ?? [])]
  const current = { role: input.role ?? 'user', ...pick(input, ['text', 'images', 'files', 'tool_call_id']) }
  if (hasContent(current)) turns.push(current)
  const toolNames = new Map(
    turns.flatMap((turn) => (turn.tool_calls ?? []).map((call) => [call.id, call.function.name])),
  )
  const prompt = input.system_prompt ? [{ role: 'system', content: input.system_prompt }] : []
  for (const turn of turns) {
    const message = await toMessage(turn, toolNames, toolCallOptions)
    const last = prompt.at(-1)
    // The results of parallel tool calls form one message.
    if (message.role === 'tool' && last?.role === 'tool') last.content.push(...message.content)
    else prompt.push(message)
  }
  return prompt
}

const pick = (source, keys) =>
  Object.fromEntries(
    keys.filter((key) => source[key] !== undefined && source[key] !== null).map((key) => [key, source[key]]),
  )

/** @param {{ [field: string]: any }} turn */
const hasContent = ({ text, images, files, tool_call_id: toolCallId }) =>
  Boolean(text) || (images?.length ?? 0) > 0 || (files?.length ?? 0) > 0 || Boolean(toolCallId)

async function toMessage(turn, toolNames, toolCallOptions) {
  if (turn.role === 'tool' || (turn.tool_call_id && turn.role !== 'assistant')) return toToolMessage(turn, toolNames)
  if (turn.role === 'assistant') return { role: 'assistant', content: assistantParts(turn, toolCallOptions) }
  if (turn.role === 'system') return { role: 'system', content: turn.text ?? '' }
  /** @type {object[]} */
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

// Arguments are an object or JSON text; invalid JSON from a model is passed back unchanged.
function parseArguments(given) {
  if (typeof given !== 'string') return given ?? {}
  try {
    return JSON.parse(given || '{}')
  } catch {
    return { text: given }
  }
}

// The engine has downloaded the file. Text files are sent as text, all others as data.
async function toFilePart(file, fallbackType) {
  const mediaType =
    file.content_type && file.content_type !== 'application/octet-stream' ? file.content_type : fallbackType
  const bytes = await readFile(file.path)
  if (mediaType.startsWith('text/') || mediaType === 'application/json') {
    return { type: 'text', text: `${file.filename}:\n${bytes.toString('utf8')}` }
  }
  const data = { type: 'data', data: bytes }
  return { type: 'file', data, mediaType: pictureType(bytes) ?? mediaType, filename: file.filename }
}

const pictures = [
  ['image/png', 0, '\x89PNG'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
  ['image/avif', 4, 'ftypavif'],
  ['image/heic', 4, 'ftypheic'],
]

/** The media type detected from the bytes: providers reject an image with a wrong media type. */
function pictureType(bytes) {
  const head = bytes.subarray(0, 12).toString('latin1')
  return pictures.find(([, at, mark]) => head.startsWith(mark, at))?.[0]
}

export function toTools(definitions) {
  const none = { type: 'object', properties: {} }
  const tools = (definitions ?? [])
    .map((definition) => definition.function ?? definition)
    .filter((definition) => definition?.name)
    .map(({ name, description, parameters }) => ({
      type: 'function',
      name,
      description: description ?? '',
      inputSchema: parameters ?? none,
    }))
  return tools.length === 0 ? {} : { tools }
}

export function toToolChoice(choice) {
  if (choice?.mode === 'function') return { toolChoice: { type: 'tool', toolName: choice.name } }
  return { toolChoice: { type: choice?.mode || 'auto' } }
}
