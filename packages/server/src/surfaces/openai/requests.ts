// Reads the requests of both APIs. Pure.
import type {
  ChatCompletionMessage,
  CreateChatCompletion,
  CreateResponse,
  ResponseInputItem,
} from '@millrace/contract/openai'
import type { ModelRequest } from '#agents/chats/service.ts'
import {
  assertFunction,
  type ConversationItem,
  contentOf,
  type OpenAiTurn,
  readConversation,
  responseFormatOf,
  textOf,
  toolChoiceOf,
  toolOf,
  withoutAbsent,
} from './conversation.ts'

const itemsOfMessage = (message: ChatCompletionMessage): ConversationItem[] => {
  const content = contentOf(message.content)
  if (message.role === 'tool' || message.role === 'function')
    return [{ kind: 'result', callId: message.tool_call_id ?? '', text: textOf(content) }]
  const calls = (message.tool_calls ?? []).map(({ id = '', function: called }): ConversationItem => {
    return { kind: 'call', callId: id, name: called.name, arguments: called.arguments ?? '' }
  })
  return [{ kind: 'message', role: message.role, content }, ...calls]
}

const requestOf = (
  given: Pick<CreateChatCompletion, 'model' | 'tool_choice'>,
  parts: { instructions: string; settings: Record<string, unknown>; tools: ModelRequest['tools'] },
): ModelRequest => {
  const toolChoice = toolChoiceOf(given.tool_choice)
  const settings = withoutAbsent(parts.settings)
  return {
    model: given.model,
    ...(parts.instructions !== '' && { instructions: parts.instructions }),
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(toolChoice && { toolChoice }),
    ...(parts.tools && parts.tools.length > 0 && { tools: parts.tools }),
  }
}

const samplingOf = ({ temperature, top_p, seed }: Pick<CreateChatCompletion, 'temperature' | 'top_p' | 'seed'>) => ({
  temperature,
  top_p,
  seed,
})

export const readChatCompletion = (body: CreateChatCompletion): OpenAiTurn => {
  const read = readConversation(body.messages.flatMap(itemsOfMessage), 'messages')
  const tools = (body.tools ?? []).map(({ type, function: given = {} }) => {
    assertFunction(type)
    return toolOf(given)
  })
  const settings = {
    ...samplingOf(body),
    max_tokens: body.max_completion_tokens ?? body.max_tokens,
    frequency_penalty: body.frequency_penalty,
    presence_penalty: body.presence_penalty,
    stop: body.stop,
    reasoning_effort: body.reasoning_effort,
    response_format: responseFormatOf(body.response_format),
  }
  return {
    ...read,
    channelType: 'openai',
    model: body.model,
    request: requestOf(body, { instructions: read.instructions, settings, tools }),
    user: body.user ?? '',
    metadata: body.metadata ?? {},
    isStored: body.store ?? true,
    previousId: '',
  }
}

const itemsOfInput = (item: ResponseInputItem): ConversationItem[] => {
  switch (item.type ?? 'message') {
    case 'message':
      return [{ kind: 'message', role: item.role ?? 'user', content: contentOf(item.content) }]
    case 'function_call':
      return [{ kind: 'call', callId: item.call_id ?? '', name: item.name ?? '', arguments: item.arguments ?? '' }]
    case 'function_call_output':
      return [{ kind: 'result', callId: item.call_id ?? '', text: textOf(contentOf(item.output)) }]
    default:
      // Reasoning and items of other services that a client sends back.
      return []
  }
}

export const readResponse = (body: CreateResponse): OpenAiTurn => {
  const { input = '', instructions = '' } = body
  const given: ConversationItem[] =
    typeof input === 'string'
      ? [{ kind: 'message', role: 'user', content: contentOf(input) }]
      : input.flatMap(itemsOfInput)
  const read = readConversation(given, 'input')
  const all = [instructions, read.instructions].filter((text) => text !== '').join('\n\n')
  const tools = (body.tools ?? []).map((tool) => {
    assertFunction(tool.type)
    return toolOf(tool)
  })
  const settings = {
    ...samplingOf(body),
    max_tokens: body.max_output_tokens,
    reasoning_effort: body.reasoning?.effort,
    response_format: responseFormatOf(body.text?.format),
  }
  return {
    ...read,
    channelType: 'openai',
    instructions: all,
    model: body.model,
    request: requestOf(body, { instructions: all, settings, tools }),
    user: body.user ?? '',
    metadata: body.metadata ?? {},
    isStored: body.store ?? true,
    previousId: body.previous_response_id ?? '',
  }
}
