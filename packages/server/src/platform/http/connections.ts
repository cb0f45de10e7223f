// How long a caller may take and how many connections it may hold. A stranger that opens sockets and says nothing, or
// says it very slowly, must not use up what everybody needs: descriptors, and the memory behind them.
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { callerOfAddress } from '../core/caller.ts'
import { rateLimited } from '../core/rate-limited.ts'
import { type Network, networkSet, parseAddress, parseNetwork } from '../outbound/networks.ts'

/** From the opening of a connection, or the first byte of its next request, to the end of the headers. */
export const headersTimeout = 15_000

/** Files, the database, engines and outgoing requests need descriptors as well. */
const reservedDescriptors = 256
const assumedDescriptors = 1_024

/** Of one network that is neither this machine nor a proxy: connections, and requests that came over a proxy's. */
export const connectionsPerCaller = 500

/** How many files and sockets the process may have open. */
const descriptorLimit = (): number => {
  try {
    const [, soft = ''] = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === 'unlimited' ? 1_000_000 : Number(soft) || assumedDescriptors
  } catch {
    return assumedDescriptors
  }
}

/** A body that is read whole arrives within a minute; bytes of files have a least rate instead. */
export const bodyTimeoutMs = 60_000

export const endSlowBody = (raw: Pick<IncomingMessage, 'complete' | 'destroy' | 'once'>): void => {
  const timer = setTimeout(() => {
    if (!raw.complete) raw.destroy(new Error('the body took too long to arrive'))
  }, bodyTimeoutMs)
  for (const event of ['end', 'close']) raw.once(event, () => clearTimeout(timer))
}

export type ConnectionLimits = { proxies: readonly string[]; log: Logger }

/** Whom an address is counted for; null for this machine and for a proxy, which stand for many. */
const countedCaller = (proxies: readonly string[]): ((address: string) => string | null) => {
  const trusted = networkSet(proxies.map(parseNetwork).filter((network): network is Network => network !== undefined))
  return (address) => {
    const parsed = parseAddress(address)
    if (!parsed || parsed.range() === 'loopback' || trusted.has(parsed)) return null
    return callerOfAddress(parsed.toString())
  }
}

/** Gives what is to be called when it is over, or nothing where the caller has as many as it may. */
const createCounts = (): ((caller: string) => (() => void) | undefined) => {
  const counts = new Map<string, number>()
  return (caller) => {
    const open = counts.get(caller) ?? 0
    if (open >= connectionsPerCaller) return undefined
    counts.set(caller, open + 1)
    return () => {
      const rest = (counts.get(caller) ?? 1) - 1
      if (rest === 0) counts.delete(caller)
      else counts.set(caller, rest)
    }
  }
}

export const limitConnections = (server: Server, { proxies, log }: ConnectionLimits): void => {
  server.maxConnections = Math.max(64, descriptorLimit() - reservedDescriptors)
  const callerOf = countedCaller(proxies)
  const enter = createCounts()
  server.on('drop', () => log.warn({ most: server.maxConnections }, 'a connection was refused: too many are open'))
  server.on('connection', (socket: Socket) => {
    const caller = callerOf(socket.remoteAddress ?? '')
    if (caller === null) return
    const leave = enter(caller)
    if (leave) socket.once('close', leave)
    else socket.destroy()
  })
}

const tooManyOpen = `At most ${connectionsPerCaller} requests of one network at a time`
/** Nobody knows when one of them ends. */
const retryMs = 1_000

/** Behind a proxy every connection is the proxy's: there the requests of a caller that are open count, streams and sockets too. */
export const limitOpenRequests = (app: FastifyInstance, proxies: readonly string[]): void => {
  if (proxies.length === 0) return
  const callerOf = countedCaller(proxies)
  const enter = createCounts()
  app.addHook('onRequest', (request, reply, done) => {
    const caller = callerOf(request.clientIp)
    if (caller === null) return done()
    const leave = enter(caller)
    if (!leave) {
      const nowMs = Date.now()
      return done(rateLimited(() => tooManyOpen, nowMs, nowMs + retryMs))
    }
    reply.raw.once('close', leave)
    done()
  })
}
