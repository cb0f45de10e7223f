// CORS: only the deployment's own pages may send cookies. The headers are set before any check, so that a page can read
// a refusal.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Settings } from '../settings/settings.ts'

const methods = 'GET, POST, PUT, DELETE, OPTIONS, HEAD'
const requestHeaders =
  'Accept, Authorization, Content-Type, X-CSRF-Token, X-Team-ID, X-Client-Source, X-API-Version, Idempotency-Key, Last-Event-ID'
const exposedHeaders = 'Link, Retry-After'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Any page may call this route with these methods. Credentials are ignored: the URL itself gives access. */
    openToAnyOrigin?: string
  }
}

export const ownOrigins = (settings: Settings): ReadonlySet<string> =>
  new Set(
    [settings.BASE_URL, settings.APP_URL, ...settings.EXTRA_APP_ORIGINS].map((address) => new URL(address).origin),
  )

/** Returns true if the request was a preflight, which then has its response. */
export const applyCors = (own: ReadonlySet<string>, request: FastifyRequest, reply: FastifyReply): boolean => {
  const { openToAnyOrigin } = request.routeOptions.config
  if (openToAnyOrigin !== undefined) return applyOpenCors(openToAnyOrigin, request, reply)
  reply.header('vary', 'Origin')
  const { origin } = request.headers
  if (origin === undefined) return false
  reply.header('access-control-allow-origin', origin)
  if (own.has(origin)) reply.header('access-control-allow-credentials', 'true')
  reply.header('access-control-expose-headers', exposedHeaders)
  if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return false
  reply
    .header('access-control-allow-methods', methods)
    .header('access-control-allow-headers', requestHeaders)
    .header('access-control-max-age', '600')
    .code(204)
    .send()
  return true
}

const applyOpenCors = (allowed: string, request: FastifyRequest, reply: FastifyReply): boolean => {
  reply.header('access-control-allow-origin', '*')
  if (request.method !== 'OPTIONS') return false
  reply
    .header('access-control-allow-methods', allowed)
    .header('access-control-allow-headers', 'Content-Type')
    .header('access-control-max-age', '600')
    .code(204)
    .send()
  return true
}
