// How long a caller may take and how many connections it may hold. A stranger that opens sockets and says nothing, or
// says it very slowly, must not use up what everybody needs: descriptors, and the memory behind them.
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { Logger } from 'pino'
import { type Network, networkSet, parseAddress, parseNetwork } from '../outbound/networks.ts'

/** From the opening of a connection, or the first byte of its next request, to the end of the headers. */
export const headersTimeout = 15_000

/** Files, the database, engines and outgoing requests need descriptors as well. */
const reservedDescriptors = 256
const assumedDescriptors = 1_024

/** Of one address that is neither this machine nor a proxy. */
export const connectionsPerAddress = 500

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

export const limitConnections = (server: Server, { proxies, log }: ConnectionLimits): void => {
  server.maxConnections = Math.max(64, descriptorLimit() - reservedDescriptors)
  const trusted = networkSet(proxies.map(parseNetwork).filter((network): network is Network => network !== undefined))
  const counts = new Map<string, number>()
  server.on('drop', () => log.warn({ most: server.maxConnections }, 'a connection was refused: too many are open'))
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const parsed = parseAddress(address)
    // Everybody behind a proxy comes from its address.
    if (!parsed || parsed.range() === 'loopback' || trusted.has(parsed)) return
    const open = (counts.get(address) ?? 0) + 1
    if (open > connectionsPerAddress) {
      socket.destroy()
      return
    }
    counts.set(address, open)
    socket.once('close', () => {
      const rest = (counts.get(address) ?? 1) - 1
      if (rest === 0) counts.delete(address)
      else counts.set(address, rest)
    })
  })
}
