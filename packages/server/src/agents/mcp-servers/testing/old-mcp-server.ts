// A real MCP server of the first protocol revision, made with its own library: answers arrive over one SSE stream.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'

export type OldMcpServer = { readonly url: string; readonly bearers: string[]; close(): Promise<void> }

const shout = { name: 'shout', description: 'Returns its input in capitals', inputSchema: { type: 'object' as const } }

const newProtocol = (): Server => {
  const protocol = new Server({ name: 'old', version: '1' }, { capabilities: { tools: {} } })
  protocol.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [shout] }))
  protocol.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
    content: [{ type: 'text' as const, text: String(params.arguments?.text).toUpperCase() }],
  }))
  return protocol
}

export const startOldMcpServer = async (): Promise<OldMcpServer> => {
  const open = new Map<string, SSEServerTransport>()
  const bearers: string[] = []
  const http = createServer((request, response) => {
    bearers.push(request.headers.authorization ?? '')
    const url = new URL(request.url ?? '/', 'http://localhost')
    const answer = async (): Promise<void> => {
      if (request.method === 'GET' && url.pathname === '/sse') {
        const transport = new SSEServerTransport('/messages', response)
        open.set(transport.sessionId, transport)
        await newProtocol().connect(transport as never)
        return
      }
      const transport = open.get(url.searchParams.get('sessionId') ?? '')
      if (request.method === 'POST' && url.pathname === '/messages' && transport)
        await transport.handlePostMessage(request, response)
      else response.writeHead(405).end()
    }
    answer().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  http.unref()
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/sse`,
    bearers,
    close: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}
