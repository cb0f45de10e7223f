// A small OAuth server that consents immediately. The test chooses its token responses, in the format of a real
// service.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export type CustomAnswer = { status?: number; headers?: Record<string, string>; body: string | object }

export type CustomOauthServer = {
  readonly address: string
  /** The next response of the token endpoint, given the form of the request. */
  answer: (form: URLSearchParams, request: IncomingMessage) => CustomAnswer
  /** Other paths, each with a JSON response. */
  readonly documents: Map<string, unknown>
  close(): Promise<void>
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

export const startCustomOauthServer = async (): Promise<CustomOauthServer> => {
  const documents = new Map<string, unknown>()
  const http = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const work = async (): Promise<void> => {
      const text = await textOf(request)
      if (url.pathname === '/auth') {
        const back = new URL(url.searchParams.get('redirect_uri') ?? '')
        back.searchParams.set('code', 'a-code')
        back.searchParams.set('state', url.searchParams.get('state') ?? '')
        response.writeHead(302, { location: back.href }).end()
        return
      }
      if (url.pathname === '/token' || url.pathname === '/token/refresh') {
        const { status = 200, headers = {}, body } = server.answer(new URLSearchParams(text), request)
        const isText = typeof body === 'string'
        response
          .writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers })
          .end(isText ? body : JSON.stringify(body))
        return
      }
      const document = documents.get(url.pathname)
      response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(document ?? {}))
    }
    work().catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  http.unref()
  const server: CustomOauthServer = {
    address: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    answer: () => ({ body: {} }),
    documents,
    close: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  return server
}
