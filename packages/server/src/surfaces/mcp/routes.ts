// POST /mcp: MCP over streamable HTTP, for clients with a credential. Cookies are ignored, so no web page can act
// through it. Unauthenticated clients get the location of the sign-in (RFC 9728).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { isMember, type Member } from '#platform/core/actor.ts'
import { createCtx, type Platform } from '#platform/core/ctx.ts'
import type { DeclaredRoute } from '#platform/core/declared-route.ts'
import { type Failure, fail, isFailure } from '#platform/core/errors.ts'
import { whenClosed } from '#platform/http/disconnects.ts'
import { contextOf, type HttpGate, originOf } from '#platform/http/mount.ts'
import { sendProblem } from '#platform/http/problem.ts'
import { createProtocol } from './protocol.ts'
import { metadataAddress } from './resource.ts'

export const declaredMcpRoutes: readonly DeclaredRoute[] = [
  { name: 'mcp.speak', route: 'POST /mcp', access: 'credential' },
  { name: 'mcp.listen', route: 'GET /mcp', access: 'public' },
  { name: 'mcp.end', route: 'DELETE /mcp', access: 'public' },
]

const requestOf = (request: FastifyRequest, baseUrl: string): Request => {
  const headers = new Headers()
  for (const name of ['accept', 'content-type', 'mcp-protocol-version'] as const) {
    const value = request.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  return new Request(`${baseUrl}/mcp`, { method: 'POST', headers })
}

const onlyOf = (query: unknown): string[] => {
  const { only } = (query ?? {}) as Record<string, unknown>
  return typeof only === 'string' ? only.split(',').filter(Boolean).slice(0, 50) : []
}

const noSession = () =>
  fail('method_not_allowed', {
    detail: 'This server is stateless: every request is a POST',
    headers: { allow: 'POST' },
  })

export const mcpRoutes =
  (platform: Platform, gate: HttpGate) =>
  (app: FastifyInstance): void => {
    const { BASE_URL } = platform.settings

    /** Adds the location of the sign-in to authentication errors. */
    const challenged = (error: unknown): unknown => {
      if (!isFailure(error, 'unauthorized')) return error
      const challenge = `Bearer resource_metadata="${metadataAddress(BASE_URL)}"`
      return fail(error.code, { ...(error as Failure).options, headers: { 'www-authenticate': challenge } })
    }
    const errorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply): void =>
      sendProblem(challenged(error), request, reply, BASE_URL)

    const enter = async (request: FastifyRequest): Promise<void> => {
      const actor = await gate.authenticate(request)
      if (!isMember(actor) || actor.kind === 'browser')
        throw fail('unauthorized', 'A valid API key or session token is required')
      request.ctx = createCtx(platform, actor, { origin: originOf(request), log: request.log as Logger })
    }

    const handleMcp = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const { WebStandardStreamableHTTPServerTransport } = await import(
        '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
      )
      const departed = new AbortController()
      whenClosed(reply, () => departed.abort())
      const { origin, log, actor } = contextOf(request)
      const call = { origin, log, signal: departed.signal }
      const protocol = await createProtocol(platform, { actor: actor as Member, call, only: onlyOf(request.query) })
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
      try {
        await protocol.connect(transport)
        const answer = await transport.handleRequest(requestOf(request, BASE_URL), { parsedBody: request.body })
        const body = await answer.text()
        return reply
          .code(answer.status)
          .header('cache-control', 'no-store')
          .type(answer.headers.get('content-type') ?? 'application/json')
          .serializer(String)
          .send(body)
      } finally {
        await protocol.close()
      }
    }

    app.post('/mcp', { errorHandler, onRequest: enter }, handleMcp)
    for (const method of ['GET', 'DELETE'] as const)
      app.route({
        method,
        url: '/mcp',
        errorHandler,
        handler: () => {
          throw noSession()
        },
      })
  }
