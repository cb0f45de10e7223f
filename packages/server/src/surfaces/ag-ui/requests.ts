// Reads the input of an AG-UI run as a conversation. Pure.
import type { AgUiMessage, AgUiPart, RunAgentInput } from '@millrace/contract/ag-ui'
import type { ChatCompletionMessage, OpenAiPart } from '@millrace/contract/openai'
import { fail } from '#platform/core/errors.ts'
import { type OpenAiTurn, readChatCompletion } from '../openai/service.ts'

const partOf = ({ type, text = '', source }: AgUiPart): OpenAiPart => {
  if (type === 'text') return { type: 'text', text }
  if (!source || (source.type !== 'data' && source.type !== 'url'))
    throw fail('validation_error', {
      detail: `Content of the type ${type} needs a source with the type data or url`,
      meta: { field: 'messages' },
    })
  const { value, mimeType = 'application/octet-stream' } = source
  const uri = source.type === 'url' ? value : `data:${mimeType};base64,${value}`
  return type === 'image' ? { type: 'input_image', image_url: uri } : { type: 'input_file', file_url: uri }
}

/** Thoughts and activities are the client's record of earlier answers. */
const conversationRoles = new Set(['user', 'assistant', 'system', 'developer', 'tool'])

const messageOf = ({ role, content = '', toolCallId, toolCalls }: AgUiMessage): ChatCompletionMessage[] => {
  if (!conversationRoles.has(role)) return []
  if (typeof content !== 'string' && !Array.isArray(content))
    throw fail('validation_error', { detail: 'content must be a text or a list', meta: { field: 'messages' } })
  return [
    {
      role,
      content: typeof content === 'string' ? content : content.map(partOf),
      ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
      ...(toolCalls && { tool_calls: toolCalls }),
    },
  ]
}

const contextOf = ({ context = [] }: RunAgentInput): ChatCompletionMessage[] => {
  const text = context.map(({ description = '', value }) => (description === '' ? value : `${description}: ${value}`))
  return text.length === 0 ? [] : [{ role: 'system', content: text.join('\n') }]
}

/** Conversations of different threads are different chats, also with the same words. */
export const readRun = (agentId: string, input: RunAgentInput): OpenAiTurn => ({
  ...readChatCompletion({
    model: agentId,
    messages: [...contextOf(input), ...input.messages.flatMap(messageOf)],
    tools: (input.tools ?? []).map((tool) => ({ type: 'function', function: tool })),
    user: input.threadId,
  }),
  channelType: 'ag-ui',
})
