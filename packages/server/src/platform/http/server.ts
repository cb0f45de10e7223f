// Creates the HTTP server with the hooks around each operation, in this order: address, cross-origin headers, blocks,
// route.
import { randomBytes } from 'node:crypto'
import websocket from '@fastify/websocket'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { guest, isMember, personOf } from '../core/actor.ts'
import { callerOfAddress } from '../core/caller.ts'
import type { Platform } from '../core/ctx.ts'
import { fail } from '../core/errors.ts'
import { type Operation, splitRoute } from '../core/operation.ts'
import { inWork, type Work } from '../fairness/work.ts'
import { parseTraceparent } from '../tracing/context.ts'
import type { Tracing } from '../tracing/tracing.ts'
import type { BlockRefusal } from './blocks/blocks.ts'
import { jsonBodyLimitBytes, registerBodyParsers } from './body.ts'
import { headersTimeout, limitConnections, limitOpenRequests } from './connections.ts'
import { applyCors, ownOrigins } from './cors.ts'
import { endForDisconnectedClients } from './disconnects.ts'
import { pageHeaders } from './html.ts'
import { isFault, type Metrics } from './metrics.ts'
import { type HttpGate, mount } from './mount.ts'
import { refuseUnreadable, sendProblem } from './problem.ts'
import { endStreamsOnClose } from './streams.ts'

/** Checks that run before authentication. */
export type Blocks = {
  /** The client's address, and a refusal if the address or its region is blocked. */
  screen(request: FastifyRequest): { client: string; refusal: BlockRefusal | undefined }
}

/** Routes that are not operations: pages, sockets, byte streams. The same hooks apply to them. */
export type RawRoutes = (app: FastifyInstance) => void | Promise<void>

declare module '../core/feature.ts' {
  interface Feature {
    readonly routes?: (platform: Platform, gate: HttpGate) => RawRoutes
  }
}

export type HttpParts = {
  platform: Platform
  gate: HttpGate
  blocks: Blocks
  metrics: Metrics
  operations: readonly Operation[]
  routes: readonly RawRoutes[]
}

/** The output of a run is sent in one frame. */
const socketFrameLimitBytes = 64 * 1024 * 1024

const healthPaths = new Set(['/healthz', '/readyz'])

export const createHttpServer = async (parts: HttpParts): Promise<FastifyInstance> => {
  const { platform, blocks, metrics } = parts
  const { settings, tracing } = platform
  const own = ownOrigins(settings)
  const isSecure = settings.BASE_URL.startsWith('https:')
  /** Returns true if the request already has its response: a preflight, or a blocked client. */
  const arrive = (request: FastifyRequest, reply: FastifyReply): boolean => {
    const { client, refusal } = blocks.screen(request)
    request.clientIp = client
    request.traceparent = tracing.ofRequest(receivedTrace(request))
    reply.header('x-request-id', request.id)
    // During shutdown, clients must open their next connection to another server.
    if (platform.server.draining) reply.header('connection', 'close')
    if (isSecure) reply.header('strict-transport-security', 'max-age=31536000')
    if (applyCors(own, request, reply)) return true
    if (!refusal || healthPaths.has(pathOf(request))) return false
    reply.code(refusal.status).type(refusal.contentType).serializer(String).send(refusal.body)
    return true
  }
  const app = Fastify({
    loggerInstance: platform.log.child({}, { redact: ['req.headers', 'headers', 'authorization', 'cookie'] }),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIds(),
    bodyLimit: jsonBodyLimitBytes,
    // Requests on keep-alive connections are served during shutdown.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: 0,
    http: { headersTimeout, connectionsCheckingInterval: 1_000 },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 65_536 },
    // The hooks below do not run for a path that cannot be decoded.
    frameworkErrors: (_error, request, reply) => {
      if (!arrive(request, reply))
        sendProblem(fail('invalid_request', 'The path cannot be decoded'), request, reply, settings.BASE_URL)
    },
    clientErrorHandler: (error, socket) => refuseUnreadable(error, socket, settings.BASE_URL),
  }) as unknown as FastifyInstance
  app.decorateRequest('clientIp', '')
  app.decorateRequest('traceparent', '')
  app.decorateRequest('ctx', null)
  endForDisconnectedClients(app)
  registerBodyParsers(app, (request, work) =>
    inWork(workOf(request), () => parts.gate.turn(request.ctx?.actor ?? guest, work)),
  )
  endStreamsOnClose(app)
  limitConnections(app.server, { proxies: settings.TRUST_PROXY, log: platform.log })

  await app.register(websocket, {
    options: { maxPayload: socketFrameLimitBytes },
    // The owner of a socket closes it with a close code; the plugin would close it without one.
    preClose: async () => {},
  })

  app.addHook('onRequest', (request, reply, done) => {
    if (!arrive(request, reply)) done()
  })
  limitOpenRequests(app, settings.TRUST_PROXY)
  // Database work counts for the workspace of the request; for guests, for their network.
  app.addHook('preHandler', (request, _reply, done) => {
    inWork(workOf(request), done)
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    const type = reply.getHeader('content-type')
    // The default for every page: no external resources and no framing.
    if (typeof type === 'string' && type.startsWith('text/html') && !reply.hasHeader('content-security-policy'))
      reply.headers(pageHeaders).type(type)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unmatched'
    metrics.observe(request.method, route, reply.statusCode, reply.elapsedTime)
    if (tracing.isOn) recordRequest(tracing, request, reply)
    const failed = isFault(route, reply.statusCode)
    if (failed || platform.log.isLevelEnabled('debug')) {
      const ms = Math.round(reply.elapsedTime * 10) / 10
      request.log[failed ? 'error' : 'debug'](
        { method: request.method, route, status: reply.statusCode, ms, client: clientOf(request) },
        'request',
      )
    }
    done()
  })
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply, settings.BASE_URL))
  // Requests for unknown routes are queued, too, so that they cannot crowd out others.
  app.setNotFoundHandler((request, reply) =>
    parts.gate.turn(guest, async () => {
      notFound(parts.operations, request, reply, settings.BASE_URL)
      return reply
    }),
  )

  for (const routes of parts.routes) await routes(app)
  for (const operation of parts.operations) mount(app, platform, parts.gate, operation)
  return app
}

const workOf = ({ ctx, clientIp }: FastifyRequest): Work => {
  const actor = ctx?.actor
  const tenant = actor && isMember(actor) ? actor.teamId : callerOfAddress(clientIp)
  return { kind: 'request', tenant, person: actor ? personOf(actor) : null }
}

const pathOf = (request: FastifyRequest): string => request.url.split('?')[0] ?? ''

/** The client's name for itself; only logged. */
const clientOf = ({ headers }: FastifyRequest): string => String(headers['x-client-source'] ?? '').slice(0, 128)

const receivedTrace = ({ headers: { traceparent } }: FastifyRequest): string =>
  typeof traceparent === 'string' ? traceparent : ''

const recordRequest = (tracing: Tracing, request: FastifyRequest, reply: FastifyReply): void => {
  const context = parseTraceparent(request.traceparent)
  if (!context) return
  const route = request.routeOptions.url ?? 'unmatched'
  const endMs = Date.now()
  tracing.record({
    name: `${request.method} ${route}`,
    kind: 'server',
    context,
    parent: receivedTrace(request),
    startMs: endMs - reply.elapsedTime,
    endMs,
    failed: reply.statusCode >= 500,
    attributes: {
      'http.request.method': request.method,
      'http.route': route,
      'http.response.status_code': reply.statusCode,
      'millrace.request_id': request.id,
      'millrace.client': clientOf(request),
    },
  })
}

/** Unique across restarts and servers, without random bytes per request. */
const requestIds = (): (() => string) => {
  const prefix = randomBytes(6).toString('hex')
  let count = 0
  return () => {
    count += 1
    return `${prefix}-${count.toString(36)}`
  }
}

const notFound = (
  operations: readonly Operation[],
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrl: string,
): void => {
  const path = pathOf(request)
  const allowed = methodsAt(operations, path)
  const failure =
    allowed.length > 0
      ? fail('method_not_allowed', {
          detail: `${path} answers ${allowed.join(', ')}`,
          headers: { allow: allowed.join(', ') },
        })
      : fail('not_found', `Route ${request.method} ${path} not found`)
  sendProblem(failure, request, reply, baseUrl)
}

type RouteMatcher = { method: string; matches: RegExp }
/** Grouped by the first path segment, because there are hundreds of routes and anyone can request unknown ones. */
type RouteMatchers = ReadonlyMap<string, readonly RouteMatcher[]>

const matchers = new WeakMap<readonly Operation[], RouteMatchers>()

const firstWordOf = (path: string): string => path.split('/', 2)[1] ?? ''

const matchersOf = (operations: readonly Operation[]): RouteMatchers => {
  const known = matchers.get(operations)
  if (known) return known
  const routes = operations.flatMap(({ routes }) => routes.map(splitRoute))
  const made = Map.groupBy(
    // Any two segments match a reference route, so it does not show that the path exists.
    routes.filter(({ path }) => !path.endsWith('/:namespace/:name')),
    ({ path }) => firstWordOf(path),
  )
  const found = new Map(
    [...made].map(([word, routes]) => [
      word,
      routes.map(({ method, path }) => {
        const pattern = path.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+')
        return { method, matches: new RegExp(`^${pattern}/?$`) }
      }),
    ]),
  )
  matchers.set(operations, found)
  return found
}

const methodsAt = (operations: readonly Operation[], path: string): string[] => {
  const routes = matchersOf(operations).get(firstWordOf(path)) ?? []
  return [...new Set(routes.flatMap(({ method, matches }) => (matches.test(path) ? [method] : [])))]
}
