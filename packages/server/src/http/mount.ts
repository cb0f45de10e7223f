// Turns operations into routes: authenticate, authorise, limit, validate, run, reply. No domain rule lives here.
import fastJson from 'fast-json-stringify'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { type Actor, guest } from '../core/actor.ts'
import { authorise } from '../core/authorise.ts'
import { type Ctx, createCtx, type Platform } from '../core/ctx.ts'
import { fail } from '../core/errors.ts'
import { type AnyInput, type Door, type Operation, type RateLimit, splitDoor, type Wire } from '../core/operation.ts'
import { assertStorableText, registerBytesParser } from './body.ts'
import { serialiseCookie } from './cookies.ts'
import { answerOnce } from './idempotency.ts'
import { sendOauthError, sendProblem, tooLargeToRead } from './problem.ts'
import { isEventStream, sendStream } from './streams.ts'
import { validator } from './validate.ts'

/** What the doors need from the features that know credentials and limits. */
export type Gate = {
  /** Who is calling. With a `reply`, a browser's session that is given new time gets its cookies again. */
  authenticate(request: FastifyRequest, reply?: FastifyReply): Promise<Actor>
  /** Calls back when something is taken from the caller's credential, person or workspace; returns how to stop watching. */
  watch(actor: Actor, onLoss: () => void): () => void
  /** Counts one request against a limit; the headers to send along, or a `rate_limited` failure. */
  limit(ctx: Ctx<Actor>, name: RateLimit): Promise<Record<string, string>>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Address of the caller, behind trusted proxies too. */
    clientIp: string
    /** Null until the operation's own checks have passed. */
    ctx: Ctx<Actor> | null
  }
}

export const mount = (app: FastifyInstance, platform: Platform, gate: Gate, operation: Operation): void => {
  if (!operation.bytes) {
    for (const door of operation.doors) mountDoor(app, platform, gate, operation, door)
    return
  }
  app.register(async (scope) => {
    registerBytesParser(scope)
    for (const door of operation.doors) mountDoor(scope, platform, gate, operation, door)
  })
}

const mountDoor = (app: FastifyInstance, platform: Platform, gate: Gate, operation: Operation, door: Door): void => {
  const { method, path } = splitDoor(door)
  const read = inputReader(operation, method)
  const write = replyWriter(operation)
  const { BASE_URL } = platform.settings
  const contextFor = (caller: Actor, request: FastifyRequest, reply: FastifyReply): Ctx<Actor> =>
    createCtx(platform, authorise(caller, operation), {
      origin: originOf(request),
      log: request.log as Logger,
      // Only what goes on after the answer could be given needs to know that the caller has left.
      ...(operation.follow ? { signal: departure(reply) } : {}),
    })
  app.route({
    method,
    url: path,
    bodyLimit: operation.bodyLimitBytes,
    exposeHeadRoute: !operation.unsafeGet,
    errorHandler: (error, request, reply) => {
      if (operation.form) return sendOauthError(error, request, reply)
      sendProblem(operation.bytes ? tooLargeToRead(error) : error, request, reply, BASE_URL)
    },
    onRequest:
      operation.scope === 'public' && !operation.rateLimit
        ? (request, reply, done) => {
            request.ctx = contextFor(guest, request, reply)
            done()
          }
        : async (request, reply) => {
            const caller = operation.scope === 'public' ? guest : await gate.authenticate(request, reply)
            const ctx = contextFor(caller, request, reply)
            if (operation.rateLimit && !operation.uncounted) reply.headers(await gate.limit(ctx, operation.rateLimit))
            request.ctx = ctx
          },
    handler: async (request, reply) => {
      const ctx = contextOf(request)
      const input = read(request)
      if (operation.rateLimit && operation.uncounted && !operation.uncounted(ctx.actor, input))
        reply.headers(await gate.limit(ctx, operation.rateLimit))
      const wire = wireOf(request, reply, platform)
      const key = request.headers['idempotency-key']
      if (operation.replayable && method === 'POST' && typeof key === 'string' && key !== '') {
        const body = { path: request.params, query: request.query, body: request.body }
        const answer = await answerOnce(ctx, { key, door, body }, async (ctx) => ({
          data: await operation.run(ctx, input, wire),
          notices: ctx.notices,
        }))
        if (answer.replayed) reply.header('idempotent-replayed', 'true')
        const data = operation.follow ? await operation.follow(ctx, answer.data, input) : answer.data
        if (isEventStream(data))
          return sendStream(request, reply, data, {
            baseUrl: BASE_URL,
            watch: (onLoss) => gate.watch(ctx.actor, onLoss),
          })
        return write(reply, data, answer.notices)
      }
      const result = await operation.run(ctx, input, wire)
      const data = operation.follow ? await operation.follow(ctx, result, input) : result
      if (isEventStream(data))
        return sendStream(request, reply, data, { baseUrl: BASE_URL, watch: (onLoss) => gate.watch(ctx.actor, onLoss) })
      return write(reply, data, ctx.notices)
    },
  })
}

const departure = ({ raw }: FastifyReply): AbortSignal => {
  const abort = new AbortController()
  raw.once('close', () => abort.abort())
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
})

const inputReader = (operation: Operation, method: string): ((request: FastifyRequest) => AnyInput) => {
  const { missingField, list } = operation
  const path = operation.path && validator(operation.path, 'path', missingField)
  // A list's request is the query of its GET twin and the body of its POST twin.
  const fromQuery = list && method === 'GET' ? operation.body : operation.query
  const query = fromQuery && validator(fromQuery, 'query', missingField)
  const body = list && method === 'GET' ? undefined : operation.body && validator(operation.body, 'body', missingField)
  return (request) => {
    const params = request.params as Record<string, unknown>
    assertStorableText(params)
    assertStorableText(request.query as Record<string, unknown>)
    if (operation.bytes) return { path: path?.(params), query: undefined, body: request.body ?? noBytes }
    const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true
    if (isForm && !operation.form && request.body !== undefined)
      throw fail('unsupported_media_type', 'Send the body as application/json')
    const readQuery = query?.(request.query)
    return {
      path: path?.(params),
      query: list ? undefined : readQuery,
      body: list && method === 'GET' ? readQuery : body?.(request.body ?? {}),
    }
  }
}

const noBytes = new Uint8Array()

type Writer = (reply: FastifyReply, data: unknown, notices: Ctx['notices']) => FastifyReply

const replyWriter = (operation: Operation): Writer => {
  let stringify: ((value: unknown) => string) | undefined
  return (reply, data, notices) => {
    // A redirect or an empty answer has been sent already.
    if (reply.sent) return reply
    stringify ??= fastJson(operation.reply as fastJson.Schema, { mode: undefined })
    const body = stringify(data)
    const text = operation.bare || wantsBare(reply.request) ? body : envelope(body, notices)
    return reply.type('application/json; charset=utf-8').serializer(String).send(text)
  }
}

/** Published clients of an earlier generation ask for the resource alone, without an envelope and its notices. */
const wantsBare = (request: FastifyRequest): boolean => request.headers['x-api-version'] === '2'

// `success` is what the Python client looks at before anything else.
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
  }
}
