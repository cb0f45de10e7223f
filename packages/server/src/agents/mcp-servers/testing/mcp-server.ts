// A real MCP server on loopback, made with the protocol's own library: with or without a sign-in, with tools that
// answer, fail, request input, and echo what they receive.

import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { inForm } from './secret-forms.ts'

export type TestMcpServer = {
  readonly url: string
  /** `tools/list` or `tools/call NAME`, in order of arrival. */
  readonly asked: string[]
  /** The trace context of each call, from its header and its metadata. */
  readonly traces: { header: string | undefined; meta: unknown }[]
  /** The accepted bearer values; null: no sign-in. */
  accepts: ((bearer: string) => boolean) | null
  /** Documents by path, such as the metadata of RFC 9728. */
  readonly documents: Map<string, object>
  /** Additional tools, to detect another list request. */
  readonly more: string[]
  /** While set, every POST gets this answer. */
  broken: { status: number; body: string } | null
  /** Answers wait for this promise. */
  held: Promise<void> | null
  /** Number of requests that wait for `held`. */
  waiting: number
  close(): Promise<void>
}

const object = (properties: object = {}, required: string[] = []) => ({ type: 'object' as const, properties, required })

const tools = [
  { name: 'echo', description: 'Repeats its input', inputSchema: object({ text: { type: 'string' } }, ['text']) },
  {
    name: 'add',
    title: 'Add',
    description: 'Adds two numbers',
    inputSchema: object({ a: { type: 'number' }, b: { type: 'number' } }, ['a', 'b']),
    outputSchema: object({ sum: { type: 'number' } }),
    annotations: { readOnlyHint: true, idempotentHint: true },
  },
  { name: 'whoami', description: 'Returns the credential that it received', inputSchema: object() },
  { name: 'refuse', description: 'Fails', inputSchema: object() },
  { name: 'ask', description: 'Requests a name during the call', inputSchema: object() },
  { name: 'ask.rounds', description: 'Requests input in its result', inputSchema: object() },
  { name: 'odd schema', description: 'Has an invalid schema', inputSchema: { type: 'object' as const, required: 7 } },
]

const answerText = (text: string, more: object = {}) => ({ content: [{ type: 'text' as const, text }], ...more })

const nameQuestion = { message: 'Your name?', requestedSchema: object({ name: { type: 'string' } }) }

type Params = { name: string; arguments?: Record<string, unknown>; [key: string]: unknown }

const answerCall = async (protocol: Server, params: Params, authorization: string, requestId: string | number) => {
  const given = params.arguments ?? {}
  switch (params.name) {
    case 'echo':
      return answerText(String(given.text))
    case 'add':
      return answerText('added', { structuredContent: { sum: Number(given.a) + Number(given.b) } })
    case 'whoami':
      if (typeof given.form === 'string')
        return answerText(inForm(given.form, authorization), { isError: given.refuse === true })
      return answerText(`${authorization} ${Buffer.from(authorization).toString('base64')}`)
    case 'refuse':
      return answerText('I will not', { isError: true })
    case 'ask': {
      const answer = await protocol.elicitInput(nameQuestion as never, { relatedRequestId: requestId })
      return answerText(answer.action === 'accept' ? `hello ${String(answer.content?.name)}` : `you ${answer.action}`)
    }
    case 'ask.rounds': {
      const responses = params.inputResponses as Record<string, { content?: { name?: string } }> | undefined
      if (responses?.who && params.requestState === 'state-1')
        return answerText(`welcome ${responses.who.content?.name}`)
      const inputRequests = { who: { method: 'elicitation/create', params: nameQuestion } }
      return { resultType: 'input_required', inputRequests, requestState: 'state-1' }
    }
    default:
      throw Object.assign(new Error(`Tool ${params.name} not found`), { code: -32602 })
  }
}

type CallMeta = { _meta?: { traceparent?: unknown } }

const newProtocol = (state: TestMcpServer, authorization: string): Server => {
  const protocol = new Server({ name: 'test', version: '1' }, { capabilities: { tools: {} } })
  protocol.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    state.asked.push('tools/list')
    const all = [...tools, ...state.more.map((name) => ({ name, description: name, inputSchema: object() }))]
    // Two pages, to test paging.
    return (
      params?.cursor === undefined ? { tools: all.slice(0, 3), nextCursor: 'second' } : { tools: all.slice(3) }
    ) as never
  })
  // Bypasses the library's schema, which drops fields of later protocol revisions.
  protocol.fallbackRequestHandler = async ({ method, params }, { requestId, requestInfo }) => {
    if (method !== 'tools/call') throw new Error(`Unknown method ${method}`)
    const call = params as Params
    state.asked.push(`tools/call ${call.name}`)
    const header = requestInfo?.headers.traceparent
    state.traces.push({ header: header?.toString(), meta: (call as CallMeta)._meta?.traceparent })
    return answerCall(protocol, call, authorization, requestId)
  }
  return protocol
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

export const startMcpServer = async (): Promise<TestMcpServer> => {
  const sessions = new Map<string, StreamableHTTPServerTransport>()

  const open = async (authorization: string): Promise<StreamableHTTPServerTransport> => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        sessions.set(id, transport)
      },
    })
    await newProtocol(state, authorization).connect(transport as never)
    return transport
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const document = state.documents.get(request.url ?? '')
    if (request.method === 'GET' && document) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
      return
    }
    const body = await bodyOf(request)
    if (!request.url?.startsWith('/mcp')) {
      response.writeHead(404).end()
      return
    }
    state.waiting += 1
    await state.held
    state.waiting -= 1
    if (state.broken) {
      response.writeHead(state.broken.status, { 'content-type': 'application/json' }).end(state.broken.body)
      return
    }
    const authorization = request.headers.authorization ?? ''
    if (state.accepts && !state.accepts(authorization.replace(/^Bearer /, ''))) {
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
      return
    }
    const known = sessions.get(String(request.headers['mcp-session-id'] ?? ''))
    const transport = known ?? (await open(authorization))
    await transport.handleRequest(request, response, body === '' ? undefined : JSON.parse(body))
  }

  const http = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  http.unref()
  const state: TestMcpServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    asked: [],
    traces: [],
    accepts: null,
    documents: new Map(),
    more: [],
    broken: null,
    held: null,
    waiting: 0,
    close: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  return state
}
