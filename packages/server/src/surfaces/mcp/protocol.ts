// Handles one MCP request: server info, tools, and calls. There is no session, so any server process can answer any
// request.
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { isMember, type Member } from '#platform/core/actor.ts'
import type { CallParts, Platform } from '#platform/core/ctx.ts'
import { isEventStream } from '#platform/core/event-stream.ts'
import { invoke } from '#platform/core/invoke.ts'
import { toFailure } from '#platform/http/problem.ts'
import { inputOf, type OperationTool, toolsFor } from './tools.ts'

export type McpCaller = { readonly actor: Member; readonly call: CallParts; readonly only: readonly string[] }

const pageSize = 100
const answerMaxBytes = 1024 * 1024

const instructions =
  'The operations of a Millrace server: apps and their tasks, flows, agents and chats, triggers, knowledge, files, secrets and more. ' +
  'Lists accept `limit`, `cursor`, `filters` and `search`. Running an app returns a task: call tasks_get until it has ended.'

type ToolAnswer = {
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
}

const failed = (text: string): ToolAnswer => ({ content: [{ type: 'text', text }], isError: true })

const answered = (data: unknown): ToolAnswer => {
  const text = JSON.stringify(data ?? null)
  if (Buffer.byteLength(text) > answerMaxBytes)
    return failed(`The reply is larger than ${answerMaxBytes} bytes; reduce it with limit, fields or filters`)
  const isObject = typeof data === 'object' && data !== null && !Array.isArray(data)
  return {
    content: [{ type: 'text', text }],
    ...(isObject && { structuredContent: data as Record<string, unknown> }),
  }
}

/** Unexpected errors are logged in full and reported with a fixed message, as in every operation. */
const refusal = (error: unknown, { log }: CallParts): ToolAnswer => {
  const { code, message, options, cause } = toFailure(error)
  if (code === 'internal_error') log?.error({ err: cause ?? error }, 'a tool call failed unexpectedly')
  const more = { ...options.extra, ...(options.meta && { meta: options.meta }) }
  return failed(`${code}: ${message}${Object.keys(more).length > 0 ? `\n${JSON.stringify(more)}` : ''}`)
}

const call = async (platform: Platform, tool: OperationTool, given: Record<string, unknown>, caller: McpCaller) => {
  try {
    const input = inputOf(tool, given)
    const { data } = await invoke(platform, tool.operation, { actor: caller.actor, input, ...caller.call })
    if (isEventStream(data)) return failed('This operation replies with a stream; call it without requesting one')
    return answered(data)
  } catch (error) {
    return refusal(error, caller.call)
  }
}

/** A page of tools; the cursor is the number of tools before it. */
const page = (tools: readonly OperationTool[], cursor: string | undefined) => {
  const from = Math.max(0, Number.parseInt(cursor ?? '0', 10) || 0)
  const next = from + pageSize
  return {
    tools: tools.slice(from, next).map(({ definition }) => definition),
    ...(next < tools.length && { nextCursor: String(next) }),
  }
}

export const createProtocol = async (platform: Platform, caller: McpCaller): Promise<Server> => {
  const [{ Server }, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ])
  const server = new Server({ name: 'millrace', version: '1' }, { capabilities: { tools: {} }, instructions })
  const tools = () => toolsFor(caller.actor, platform.operations, caller.only)
  server.setRequestHandler(types.ListToolsRequestSchema, ({ params }) => page(tools(), params?.cursor) as never)
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }) => {
    const tool = isMember(caller.actor) && tools().find(({ name }) => name === params.name)
    // A tool without permission is reported as unknown.
    if (!tool) throw new types.McpError(types.ErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
    return (await call(platform, tool, params.arguments ?? {}, caller)) as never
  })
  return server
}
