// Private hosts that requests may reach: `ALLOW_PRIVATE_HOSTS` and the loopback exception.
import { isIP } from 'node:net'
import { type Network, type NetworkSet, networkSet, parseNetwork, splitList } from './networks.ts'

export type PrivateHosts = {
  /** `*`: all addresses are allowed. */
  readonly any: boolean
  readonly hosts: ReadonlySet<string>
  readonly networks: NetworkSet
}

export type OutboundPolicy = {
  readonly allow: PrivateHosts
  /** True if the server listens on loopback only, so that all its users are on this machine. */
  readonly loopbackAllowed: boolean
  /** Ports of Millrace itself, excluded from the loopback exception. Read at each connection. */
  readonly ownPorts: readonly number[]
}

/** The setting contains host names, addresses, networks or `*`; `problems` names every invalid entry. */
export const parsePrivateHosts = (text: string): { allow: PrivateHosts; problems: string[] } => {
  const hosts = new Set<string>()
  const networks: Network[] = []
  const problems: string[] = []
  let any = false
  for (const entry of splitList(text)) {
    const network = parseNetwork(entry.replace(/^\[(.*)\]$/, '$1'))
    const host = hostName(entry)
    if (entry === '*') any = true
    else if (network) networks.push(network)
    else if (host) hosts.add(host)
    else problems.push(`${entry} is neither a host name, an address, a network nor *`)
  }
  return { allow: { any, hosts, networks: networkSet(networks) }, problems }
}

/** The normal form for comparisons: lower case, no brackets, no final dot. */
export const comparableHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')

const hostName = (entry: string): string | undefined => {
  if (!/^[^\s/:@?#*[\]\\%]+$/.test(entry) || !URL.canParse(`http://${entry}/`)) return undefined
  const host = comparableHost(new URL(`http://${entry}/`).hostname)
  // `127.1` would silently become an address, so the full address is required.
  return isIP(host) === 0 ? host : undefined
}
