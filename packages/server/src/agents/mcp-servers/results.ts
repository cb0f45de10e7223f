// Converts the result of a call to its wire form. Pure.
import { isRecord } from '@millrace/contract/json'
import type { McpBlock, McpCallResult, McpInputRequest, McpTool } from '@millrace/contract/mcp-servers'

const blockTypes = ['text', 'image', 'audio', 'resource_link', 'resource'] as const

const textAt = (value: Record<string, unknown>, key: 'text' | 'data' | 'mimeType') =>
  typeof value[key] === 'string' ? { [key]: value[key] } : {}

const toBlock = (given: unknown): McpBlock[] => {
  if (!isRecord(given)) return []
  const type = blockTypes.find((one) => one === given.type)
  if (type === undefined) return []
  const { type: _type, annotations: _annotations, _meta, ...link } = given
  const resource = type === 'resource_link' ? link : given.resource
  return [
    {
      type,
      ...textAt(given, 'text'),
      ...textAt(given, 'data'),
      ...textAt(given, 'mimeType'),
      ...(isRecord(resource) && { resource }),
    },
  ]
}

const readRequests = (given: unknown): Record<string, McpInputRequest> | undefined => {
  if (!isRecord(given)) return undefined
  const requests = Object.entries(given).flatMap(([key, one]) =>
    isRecord(one) && typeof one.method === 'string'
      ? [[key, { method: one.method, params: isRecord(one.params) ? one.params : {} }] as const]
      : [],
  )
  return requests.length === 0 ? undefined : Object.fromEntries(requests)
}

export const inputRequired = (requests: Record<string, McpInputRequest>, requestState?: string): McpCallResult => ({
  is_error: false,
  input_required: true,
  input_requests: requests,
  ...(requestState !== undefined && { request_state: requestState }),
})

export const textOf = (blocks: readonly McpBlock[]): string =>
  blocks.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : [])).join('\n')

export const toCallResult = (answer: Record<string, unknown>, tool: McpTool): McpCallResult => {
  const requests = readRequests(answer.inputRequests)
  if (requests)
    return inputRequired(requests, typeof answer.requestState === 'string' ? answer.requestState : undefined)
  const blocks = (Array.isArray(answer.content) ? answer.content : []).flatMap(toBlock)
  const words = textOf(blocks)
  const output = answer.structuredContent ?? (words === '' ? undefined : words)
  return {
    ...(output !== undefined && { output }),
    ...(tool.outputSchema && { output_schema: tool.outputSchema }),
    blocks,
    is_error: answer.isError === true,
  }
}

/** A protocol error as a result: the tool was called and failed. */
export const errorResult = (message: string): McpCallResult => ({
  blocks: [{ type: 'text', text: message }],
  is_error: true,
})

/** The result as text for a model, with a note for each part that is not text. */
export const resultText = ({ blocks = [], output }: McpCallResult): string => {
  const parts = blocks.map(({ type, text, mimeType, resource }) => {
    if (type === 'text') return text ?? ''
    if (type === 'resource') return typeof resource?.text === 'string' ? resource.text : `[resource ${resource?.uri}]`
    if (type === 'resource_link') return `[link ${String(resource?.uri ?? '')} ${String(resource?.name ?? '')}]`
    return `[${type}${mimeType === undefined ? '' : ` ${mimeType}`}]`
  })
  const words = parts.filter((part) => part !== '').join('\n')
  return words === '' && output !== undefined ? JSON.stringify(output) : words
}
