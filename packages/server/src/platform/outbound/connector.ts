// Opens sockets to user-chosen hosts: resolves once, checks every address and connects only to those. A name that
// resolves differently later therefore gives no access.
import { isIP, type LookupFunction } from 'node:net'
import type { buildConnector } from 'undici'
import { isFailure } from '../core/errors.ts'
import { isAddressAllowed } from './addresses.ts'
import { namedFailure, outboundFailure } from './failures.ts'
import { comparableHost, type OutboundPolicy } from './policy.ts'
import { refusedHost } from './target.ts'

export type ResolvedAddress = { address: string; family: number }
export type Lookup = (host: string) => Promise<ResolvedAddress[]>

export const resolveAllowed = async (
  target: { host: string; port: number },
  policy: OutboundPolicy,
  lookup: Lookup,
): Promise<ResolvedAddress[]> => {
  const family = isIP(target.host)
  const found = family === 0 ? await resolve(target.host, lookup) : [{ address: target.host, family }]
  // One refused address refuses the name, because we do not control which address is used.
  if (!found.every(({ address }) => isAddressAllowed(address, target, policy))) throw refusedHost(target.host)
  return found
}

const resolve = async (host: string, lookup: Lookup): Promise<ResolvedAddress[]> => {
  const found = await lookup(host).catch((error: unknown) => {
    if (isFailure(error)) throw error
    throw outboundFailure('not_found', `${host} could not be resolved`, error)
  })
  if (found.length === 0) throw outboundFailure('not_found', `${host} could not be resolved`)
  return found
}

/** The system resolver has no configurable timeout. */
export const boundedLookup =
  (lookup: Lookup, timeoutMs: number): Lookup =>
  async (host) => {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => late.reject(outboundFailure('timeout', `${host} could not be resolved in time`)),
      timeoutMs,
    )
    try {
      return await Promise.race([lookup(host), late.promise])
    } finally {
      clearTimeout(timer)
    }
  }

export const guardedConnector =
  (build: typeof buildConnector, policy: OutboundPolicy, lookup: Lookup, timeoutMs: number): buildConnector.connector =>
  (options, callback) => {
    const host = comparableHost(options.hostname)
    const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80)
    resolveAllowed({ host, port }, policy, lookup)
      .then((addresses) => {
        const connect = build({ timeout: timeoutMs, allowH2: false, lookup: pinnedTo(addresses) })
        connect(options, callback)
      })
      .catch((error: unknown) => callback(namedFailure(error, host), null))
  }

const pinnedTo =
  (addresses: ResolvedAddress[]): LookupFunction =>
  (_host, options, callback) => {
    const [first] = addresses
    if (options.all || !first) callback(null, addresses)
    else callback(null, first.address, first.family)
  }
