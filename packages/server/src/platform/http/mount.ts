// Mounts operations as routes: authentication, parsing and the response. The checks in between are the same for every
// entry point (`platform/core/invoke.ts`).
import fastJson from 'fast-json-stringify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { type Actor, guest } from '../core/actor.ts'
import type { CallParts, Ctx, Platform } from '../core/ctx.ts'
import { fail } from '../core/errors.ts'
import { isEventStream } from '../core/event-stream.ts'
import type { Gate } from '../core/gate.ts'
import { countCall, enter, perform } from '../core/invoke.ts'
import { type AnyInput, type Operation, type Route, splitRoute, type Wire } from '../core/operation.ts'
import { assertStorableText } from '../core/storable.ts'
import { validator } from '../core/validate.ts'
import { registerBytesParser } from './body.ts'
import { serialiseCookie } from './cookies.ts'
import { whenClosed } from './disconnects.ts'
import { sendOpenAiError } from './openai-error.ts'
import { sendOauthError, sendProblem, tooLargeToRead } from './problem.ts'
import { sendStream } from './streams.ts'
import { createSlowAnswer } from './waits.ts'

/** The gate with authentication of HTTP requests. */
export type HttpGate = Gate & {
  /** Authenticates the request. With a `reply`, an extended browser session gets new cookies. */
  authenticate(request: FastifyRequest, reply?: FastifyReply): Promise<Actor>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The client's address, also behind trusted proxies. */
    clientIp: string
    /** Trace context of this request; empty without a trace. */
    traceparent: string
    /** Null until the checks of the operation have passed. */
    ctx: Ctx<Actor> | null
  }
}

export const mount = (app: FastifyInstance, platform: Platform, gate: HttpGate, operation: Operation): void => {
  if (!operation.bytes) {
    for (const route of operation.routes) mountRoute(app, platform, gate, operation, route)
    return
  }
  app.register(async (scope) => {
    registerBytesParser(scope)
    for (const route of operation.routes) mountRoute(scope, platform, gate, operation, route)
  })
}

const mountRoute = (
  app: FastifyInstance,
  platform: Platform,
  gate: HttpGate,
  operation: Operation,
  route: Route,
): void => {
  const { method, path } = splitRoute(route)
  const read = inputReader(operation, method)
  const write = replyWriter(operation)
  const { BASE_URL } = platform.settings
  const callOf = (request: FastifyRequest, reply: FastifyReply): CallParts => ({
    origin: originOf(request),
    log: request.log as Logger,
    // Only `follow` needs to detect that the client has disconnected.
    ...(operation.follow ? { signal: departure(reply) } : {}),
  })
  const onceOnly = (request: FastifyRequest) => {
    const key = request.headers['idempotency-key']
    if (method !== 'POST' || typeof key !== 'string' || key === '') return undefined
    return { key, route, request: { path: request.params, query: request.query, body: request.body } }
  }
  /** `follow` may take long, so the body is released before it. */
  const gateFor = (request: FastifyRequest): HttpGate =>
    operation.follow
      ? {
          ...gate,
          turn: (actor, work, onDisconnect) => gate.turn(actor, work, onDisconnect).finally(() => releaseBody(request)),
        }
      : gate
  app.route({
    method,
    url: path,
    bodyLimit: operation.bodyLimitBytes,
    config: { ...(operation.bytes && { takesBytes: true }), ...(operation.form && { takesForm: true }) },
    exposeHeadRoute: !operation.unsafeGet,
    errorHandler: (error, request, reply) => {
      if (operation.form) return sendOauthError(error, request, reply)
      if (operation.errors === 'openai') return sendOpenAiError(error, request, reply)
      sendProblem(operation.bytes ? tooLargeToRead(error) : error, request, reply, BASE_URL)
    },
    onRequest:
      operation.scope === 'public' && !operation.rateLimit
        ? (request, reply, done) => {
            request.ctx = enter(platform, operation, guest, callOf(request, reply))
            done()
          }
        : async (request, reply) => {
            const caller = operation.scope === 'public' ? guest : await gate.authenticate(request, reply)
            const ctx = enter(platform, operation, caller, callOf(request, reply))
            await countCall(gate, operation, ctx, wireOf(request, reply, platform))
            request.ctx = ctx
          },
    handler: async (request, reply) => {
      const ctx = contextOf(request)
      const startedMs = performance.now()
      const input = read(request)
      gate.charge(ctx.actor, performance.now() - startedMs)
      const wire = wireOf(request, reply, platform)
      const wait = operation.lateFailure && createSlowAnswer(request, reply, operation)
      const { data, notices, replayed } = await perform(gateFor(request), wait?.operation ?? operation, ctx, input, {
        wire,
        once: onceOnly(request),
        onDisconnect: (onClosed) => whenClosed(reply, onClosed),
      })
      releaseBody(request)
      if (wait?.isOpen()) {
        // A stream begins without waiting, so its client has received a body that it cannot read.
        if (isEventStream(data)) reply.raw.destroy()
        else wait.end(write.textOf(request, data, notices))
        return reply
      }
      if (replayed) reply.header('idempotent-replayed', 'true')
      if (isEventStream(data)) {
        if (notices.length > 0) reply.header('x-messages', encodeURIComponent(JSON.stringify(notices)))
        return sendStream(request, reply, data, { baseUrl: BASE_URL, watch: (onLoss) => gate.watch(ctx.actor, onLoss) })
      }
      const wroteMs = performance.now()
      write.send(reply, data, notices)
      gate.charge(ctx.actor, performance.now() - wroteMs)
      return reply
    },
  })
}

const releaseBody = (request: FastifyRequest): void => {
  request.body = undefined
  request.uncountBody()
}

/** Shared, because every response ends with it and creating an error captures a stack. */
const clientDisconnected = new DOMException('The client has disconnected', 'AbortError')

const departure = (reply: FastifyReply): AbortSignal => {
  const abort = new AbortController()
  whenClosed(reply, () => abort.abort(clientDisconnected))
  return abort.signal
}

export const contextOf = (request: FastifyRequest): Ctx<Actor> => {
  if (!request.ctx) throw fail('internal_error', { cause: new Error('The request has no context') })
  return request.ctx
}

export const originOf = (request: FastifyRequest) => ({
  requestId: request.id,
  ip: request.clientIp,
  userAgent: (request.headers['user-agent'] ?? '').slice(0, 512),
  traceparent: request.traceparent,
})

const inputReader = (operation: Operation, method: string): ((request: FastifyRequest) => AnyInput) => {
  const { missingField, wrongField, list } = operation
  const path = operation.path && validator(operation.path, 'path', { missingField, wrongField })
  // A list reads its request from the query (GET) or the body (POST).
  const fromQuery = list && method === 'GET' ? operation.body : operation.query
  const query = fromQuery && validator(fromQuery, 'query', { missingField, wrongField })
  const body =
    list && method === 'GET'
      ? undefined
      : operation.body && validator(operation.body, 'body', { missingField, wrongField })
  return (request) => {
    const params = request.params as Record<string, unknown>
    assertStorableText(params, 'not_found')
    assertStorableText(request.query as Record<string, unknown>)
    if (operation.bytes) return { path: path?.(params), query: undefined, body: request.body ?? noBytes }
    const readQuery = query?.(request.query)
    return {
      path: path?.(params),
      query: list ? undefined : readQuery,
      body: list && method === 'GET' ? readQuery : body?.(request.body ?? {}),
    }
  }
}

const noBytes = new Uint8Array()

type Writer = {
  textOf(request: FastifyRequest, data: unknown, notices: Ctx['notices']): string
  send(reply: FastifyReply, data: unknown, notices: Ctx['notices']): FastifyReply
}

const replyWriter = (operation: Operation): Writer => {
  let stringify: ((value: unknown) => string) | undefined
  const textOf: Writer['textOf'] = (request, data, notices) => {
    stringify ??= fastJson(operation.reply as fastJson.Schema, { mode: undefined })
    const body = stringify(data)
    return operation.bare || wantsBare(request) ? body : envelope(body, notices)
  }
  return {
    textOf,
    send: (reply, data, notices) => {
      // Redirects and empty responses are already sent.
      if (reply.sent) return reply
      const text = textOf(reply.request, data, notices)
      if (operation.created) reply.code(201)
      return reply.type('application/json; charset=utf-8').serializer(String).send(text)
    },
  }
}

/** Older published clients request the resource without an envelope. */
const wantsBare = (request: FastifyRequest): boolean => request.headers['x-api-version'] === '2'

// The Python client checks `success` first.
const envelope = (data: string, notices: Ctx['notices']): string =>
  `{"success":true,"data":${data},"messages":${notices.length === 0 ? '[]' : JSON.stringify(notices)}}`

export const wireOf = (request: FastifyRequest, reply: FastifyReply, { settings }: Platform): Wire => {
  const secure = settings.APP_URL.startsWith('https:')
  return {
    headers: request.headers,
    header: (name, value) => {
      reply.header(name, value)
    },
    setCookie: (name, value, options) => {
      reply.header('set-cookie', serialiseCookie(name, value, { ...options, secure }))
    },
    clearCookie: (name) => {
      reply.header('set-cookie', serialiseCookie(name, '', { maxAgeSeconds: 0, httpOnly: true, secure }))
    },
    redirect: (url) => {
      reply.redirect(url, 302)
    },
    noContent: () => {
      reply.code(204).send()
    },
    notModified: () => {
      reply.code(304).send()
    },
  }
}
