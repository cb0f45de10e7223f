// Limits of time and connections per client. A client that opens many sockets, or sends slowly, must not use up file
// descriptors and memory.
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { callerOfAddress } from '../core/caller.ts'
import { rateLimited } from '../core/rate-limited.ts'
import { type Network, networkSet, parseAddress, parseNetwork } from '../outbound/networks.ts'

/** From the start of a connection, or the first byte of its next request, to the end of the headers. */
export const headersTimeout = 15_000

/** Files, the database, engines and outgoing requests need file descriptors, too. */
const reservedDescriptors = 256
const assumedDescriptors = 1_024

/** Per network, except this machine and trusted proxies: connections, and open requests through a proxy. */
export const connectionsPerCaller = 500

/** The limit of open files and sockets of this process. */
const descriptorLimit = (): number => {
  try {
    const [, soft = ''] = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === 'unlimited' ? 1_000_000 : Number(soft) || assumedDescriptors
  } catch {
    return assumedDescriptors
  }
}

/** For buffered bodies. File uploads have a minimum rate instead. */
export const bodyTimeoutMs = 60_000

export const endSlowBody = (raw: Pick<IncomingMessage, 'complete' | 'destroy' | 'once'>): void => {
  const timer = setTimeout(() => {
    if (!raw.complete) raw.destroy(new Error('the body took too long to arrive'))
  }, bodyTimeoutMs)
  for (const event of ['end', 'close']) raw.once(event, () => clearTimeout(timer))
}

export type ConnectionLimits = { proxies: readonly string[]; log: Logger }

/** The key under which an address is counted; null for this machine and for proxies, which represent many clients. */
const countedCaller = (proxies: readonly string[]): ((address: string) => string | null) => {
  const trusted = networkSet(proxies.map(parseNetwork).filter((network): network is Network => network !== undefined))
  return (address) => {
    const parsed = parseAddress(address)
    if (!parsed || parsed.range() === 'loopback' || trusted.has(parsed)) return null
    return callerOfAddress(parsed.toString())
  }
}

/** Returns a function that ends the count, or undefined if the client is at its limit. */
const createCounts = (): ((caller: string) => (() => void) | undefined) => {
  const counts = new Map<string, number>()
  return (caller) => {
    const open = counts.get(caller) ?? 0
    if (open >= connectionsPerCaller) return undefined
    counts.set(caller, open + 1)
    return () => {
      const remaining = (counts.get(caller) ?? 1) - 1
      if (remaining === 0) counts.delete(caller)
      else counts.set(caller, remaining)
    }
  }
}

export const limitConnections = (server: Server, { proxies, log }: ConnectionLimits): void => {
  server.maxConnections = Math.max(64, descriptorLimit() - reservedDescriptors)
  const callerOf = countedCaller(proxies)
  const enter = createCounts()
  server.on('drop', () => log.warn({ max: server.maxConnections }, 'connection refused: too many open connections'))
  server.on('connection', (socket: Socket) => {
    const caller = callerOf(socket.remoteAddress ?? '')
    if (caller === null) return
    const release = enter(caller)
    if (release) socket.once('close', release)
    else socket.destroy()
  })
}

const tooManyOpen = `A network can have at most ${connectionsPerCaller} open requests`
/** The end of the open requests is unknown. */
const retryMs = 1_000

/**
 * Behind a proxy, all connections come from the proxy. There, the open requests of a client count, including streams
 * and sockets.
 */
export const limitOpenRequests = (app: FastifyInstance, proxies: readonly string[]): void => {
  if (proxies.length === 0) return
  const callerOf = countedCaller(proxies)
  const enter = createCounts()
  app.addHook('onRequest', (request, reply, done) => {
    const caller = callerOf(request.clientIp)
    if (caller === null) return done()
    const release = enter(caller)
    if (!release) {
      const nowMs = Date.now()
      return done(rateLimited(() => tooManyOpen, nowMs, nowMs + retryMs))
    }
    reply.raw.once('close', release)
    done()
  })
}
