// Determines the client's address behind proxies. Trusts only headers that a trusted proxy wrote. Pure.
import { type NetworkSet, parseAddress } from '../../outbound/networks.ts'

/**
 * Returns the right-most hop that is not a trusted proxy. Each proxy appends the address of its client, so a client can
 * forge every entry left of the first untrusted hop.
 */
export const clientAddress = (
  peerAddress: string,
  xForwardedFor: string | undefined,
  trustedProxies: NetworkSet,
): string => {
  const peer = parseAddress(peerAddress)
  if (!peer) return peerAddress
  let client = peer.toString()
  const hops = (xForwardedFor ?? '').split(',').reverse()
  for (const hop of hops) {
    if (!trustedProxies.has(client)) break
    const address = parseAddress(withoutPort(hop.trim()))
    // An invalid entry of a trusted proxy gives no information, so that proxy counts as the client.
    if (!address) break
    client = address.toString()
  }
  return client
}

/** Some proxies write `203.0.113.9:51234` or `[2001:db8::1]:51234`. */
const withoutPort = (hop: string): string => {
  const bracketed = /^"?\[([^\]]+)\](:\d+)?"?$/.exec(hop)
  if (bracketed?.[1] !== undefined) return bracketed[1]
  return hop.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
}
