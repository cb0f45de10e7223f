// Whose request is it when proxies stand in between? Pure. Only what a trusted hop wrote is believed.
import { type NetworkSet, parseAddress } from '../../outbound/networks.ts'

/**
 * The right-most hop that is not a trusted proxy. Each proxy appends the address it saw, so everything left of the first
 * untrusted hop may have been invented by the client.
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
    // A trusted proxy that writes nonsense tells us nothing: it stays the last hop we know.
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
