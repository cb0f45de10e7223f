// The HTTP client for requests on a user's behalf. Every socket comes from the guarded connector, and every redirect is
// checked like the first URL. No other code may fetch a URL that a user can choose.
import { lookup as systemLookup } from 'node:dns/promises'
import type { Agent, Dispatcher } from 'undici'
import { createFairShare, type Release, type ShareLimits } from '../fairness/fair-share.ts'
import { currentWork, holderOf } from '../fairness/work.ts'
import { discard, type Reply, toResponse } from './body.ts'
import { boundedLookup, guardedConnector, type Lookup, resolveAllowed } from './connector.ts'
import { namedFailure, outboundFailure, redirectFailure } from './failures.ts'
import type { OutboundPolicy } from './policy.ts'
import { type Hop, nextHop, redirectTarget } from './redirect.ts'
import { endpointOf, parseTarget } from './target.ts'

declare module '../core/ctx.ts' {
  interface Platform {
    readonly outbound: Outbound
  }
}

export type OutboundRequest = {
  method?: string
  headers?: ConstructorParameters<typeof Headers>[0]
  /** In memory, because a redirect may send it again. */
  body?: string | Uint8Array | null
  signal?: AbortSignal
  /** From the call to the last byte of the body; null leaves only the idle timeout, for streams. */
  timeoutMs?: number | null
  /** Maximum silence before the headers and between two parts of the body. */
  idleTimeoutMs?: number
  /** Of the decoded body; null for streams that are counted elsewhere. */
  maxBytes?: number | null
  redirect?: 'follow' | 'manual' | 'error'
  maxRedirects?: number
}

export type Outbound = {
  fetch(url: string | URL, request?: OutboundRequest): Promise<Response>
  /** Rejects URLs that `fetch` would refuse, for URLs that are stored. `fetch` checks again. */
  checkUrl(url: string | URL): Promise<void>
  close(): Promise<void>
}

export type OutboundDeps = { lookup?: Lookup; connectTimeoutMs?: number; shares?: ShareLimits }

/** Remote servers may be slow, so one workspace or person cannot use all slots. */
export const outboundFairShare: ShareLimits = {
  places: 256,
  perTenant: 32,
  perPerson: 64,
  reserved: 32,
  maxWaiting: 256,
  waitMs: 30_000,
  busyDetail: 'The server has too many outgoing requests; try again in a moment',
}

const defaults = { timeoutMs: 30_000, idleTimeoutMs: 300_000, maxBytes: 10 * 1024 * 1024, maxRedirects: 5 }

export const createOutbound = (policy: OutboundPolicy, deps: OutboundDeps = {}): Outbound => {
  const connectTimeoutMs = deps.connectTimeoutMs ?? 10_000
  const lookup = boundedLookup(deps.lookup ?? ((host) => systemLookup(host, { all: true })), connectTimeoutMs)
  const shares = createFairShare(deps.shares ?? outboundFairShare)
  // A large package, loaded at the first request, because many servers never need it.
  let opened: Promise<Agent> | undefined
  const openAgent = async (): Promise<Agent> => {
    const undici = await import('undici')
    return new undici.Agent({
      allowH2: false,
      connect: guardedConnector(undici.buildConnector, policy, lookup, connectTimeoutMs),
    })
  }

  return {
    async fetch(given, request = {}) {
      const { maxBytes = defaults.maxBytes, maxRedirects = defaults.maxRedirects } = request
      const idleTimeoutMs = request.idleTimeoutMs ?? defaults.idleTimeoutMs
      const limit = deadline(request.signal, request.timeoutMs === undefined ? defaults.timeoutMs : request.timeoutMs)
      let hop = firstHop(parseTarget(given, policy), request)
      opened ??= openAgent()
      const agent = await opened
      const host = hop.url.hostname
      for (let redirects = 0; ; redirects++) {
        const { url, method } = hop
        const failureOf = (error: unknown) => {
          const failure = limit.failureOf(error, host)
          return redirects === 0 ? failure : redirectFailure(failure, host)
        }
        const release = await limit.entered(shares.enterAs(holderOf(currentWork()))).catch((error: unknown) => {
          throw failureOf(error)
        })
        const sent = send(agent, hop, { idleTimeoutMs, signal: limit.signal, leave: release })
        const reply = await limit.race(sent).catch((error: unknown) => {
          throw failureOf(error)
        })
        const target = request.redirect === 'manual' ? undefined : redirectTarget(reply.status, reply.headers, url)
        if (target === undefined) return toResponse(reply, url, method, redirects > 0, { host, maxBytes, failureOf })
        discard(reply.body)
        if (request.redirect === 'error') throw outboundFailure('redirect', `${host} returned a redirect`)
        if (redirects >= maxRedirects) throw outboundFailure('redirect', `${host} redirected too often`)
        hop = nextHop(hop, reply.status, redirectedTarget(target, host, policy))
      }
    },
    async checkUrl(given) {
      await resolveAllowed(endpointOf(parseTarget(given, policy)), policy, lookup)
    },
    close: async () => (await opened)?.destroy(),
  }
}

const redirectedTarget = (target: string, firstHost: string, policy: OutboundPolicy): URL => {
  try {
    return parseTarget(target, policy)
  } catch (error) {
    throw redirectFailure(error, firstHost)
  }
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

// These headers belong to the connection, not to the request.
const connectionHeaders = [
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

const firstHop = (url: URL, request: OutboundRequest): Hop => {
  const method = (request.method ?? 'GET').toUpperCase()
  if (!methods.has(method)) throw outboundFailure('invalid', 'the HTTP method is not supported')
  const headers = readHeaders(request.headers)
  for (const name of connectionHeaders) headers.delete(name)
  if (!headers.has('user-agent')) headers.set('user-agent', 'millrace')
  return { url, method, headers, body: request.body ?? null }
}

const readHeaders = (given: OutboundRequest['headers']): Headers => {
  try {
    return new Headers(given)
  } catch {
    // The library's message quotes the value, which may be a key.
    throw outboundFailure('invalid', 'a header of the request is not valid')
  }
}

const send = async (
  agent: Dispatcher,
  { url, method, headers, body }: Hop,
  limits: { idleTimeoutMs: number; signal: AbortSignal | null; leave: Release },
): Promise<Reply> => {
  const pending = agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers: { ...Object.fromEntries(headers), 'accept-encoding': 'gzip, deflate, br' },
    body,
    headersTimeout: limits.idleTimeoutMs,
    bodyTimeout: limits.idleTimeoutMs,
    signal: limits.signal,
  })
  const answer = await pending.catch((error: unknown) => {
    limits.leave()
    throw error
  })
  // The slot is released when the body was read, aborted or discarded.
  answer.body.once('close', limits.leave)
  const received = new Headers()
  for (const [name, value] of Object.entries(answer.headers)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) received.append(name, one)
  }
  return { status: answer.statusCode, headers: received, body: answer.body }
}

/** Combines the caller's signal and the timeout, and keeps which of them came first. */
const deadline = (signal: AbortSignal | undefined, timeoutMs: number | null) => {
  const clock = timeoutMs === null ? undefined : AbortSignal.timeout(timeoutMs)
  const signals = [signal, clock].filter((one) => one !== undefined)
  const either = signals.length === 0 ? null : AbortSignal.any(signals)
  return {
    signal: either,
    /** undici checks the signal only after connecting; a slow resolver must not delay the caller that long. */
    race: <T>(work: Promise<T>): Promise<T> => (either ? Promise.race([work, rejectionOf(either)]) : work),
    /** A slot that is granted too late is released. */
    entered: async (place: Release | Promise<Release>): Promise<Release> => {
      if (!either || !(place instanceof Promise)) return place
      return Promise.race([place, rejectionOf(either)]).catch((error: unknown) => {
        place.then(
          (release) => release(),
          () => undefined,
        )
        throw error
      })
    },
    failureOf(error: unknown, host: string): unknown {
      if (signal?.aborted) return signal.reason
      if (clock?.aborted) return outboundFailure('timeout', `${host} did not respond in time`, error)
      return namedFailure(error, host)
    },
  }
}

const rejectionOf = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
