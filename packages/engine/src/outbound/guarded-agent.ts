// An HTTP agent that connects only where the policy allows. A name is resolved once, and the connection uses exactly
// the address that was checked, so a second DNS answer cannot bypass the check.

import { lookup as resolveName } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector } from 'undici'
import type { AddressPolicy } from './address-policy.ts'

export class AddressRejected extends Error {
  override readonly name = 'AddressRefused'
  constructor(host: string) {
    super(`${host} has a private address, which this engine does not fetch`)
  }
}

export const guardedAgent = (policy: AddressPolicy, options: Agent.Options = {}): Agent =>
  new Agent({
    ...options,
    connect: (target, callback) => {
      const host = target.hostname.replace(/^\[|\]$/g, '')
      const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80)
      // Literal addresses never reach the resolver, so they are checked here.
      if (isIP(host) !== 0 && !policy.allows(host, host, port)) return callback(new AddressRejected(host), null)
      return buildConnector({ lookup: guardedLookup(policy, port) })(target, callback)
    },
  })

const guardedLookup =
  (policy: AddressPolicy, port: number): LookupFunction =>
  (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, [])
      const allowed = addresses.filter(({ address }) => policy.allows(hostname, address, port))
      const first = allowed[0]
      if (!first) return callback(new AddressRejected(hostname), [])
      if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
