// What the operator lets users reach beyond the public internet: `ALLOW_PRIVATE_HOSTS` and the loopback exception.
import { isIP } from 'node:net'
import { type Network, type NetworkSet, networkSet, parseNetwork, splitList } from './networks.ts'

export type PrivateHosts = {
  /** `*`: the operator trusts every address. */
  readonly any: boolean
  readonly hosts: ReadonlySet<string>
  readonly networks: NetworkSet
}

export type OutboundPolicy = {
  readonly allow: PrivateHosts
  /** True when the server itself listens on loopback only: whoever can ask already sits on this machine. */
  readonly loopbackAllowed: boolean
  /** Ports of Millrace's own listeners, kept out of the loopback exception. Read at each connection. */
  readonly ownPorts: readonly number[]
}

/** The setting holds host names, addresses, networks or `*`; `problems` names every entry that is none of these. */
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

/** The spelling under which a host is compared: lower case, no brackets, no final dot. */
export const comparableHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')

const hostName = (entry: string): string | undefined => {
  if (!/^[^\s/:@?#*[\]\\%]+$/.test(entry) || !URL.canParse(`http://${entry}/`)) return undefined
  const host = comparableHost(new URL(`http://${entry}/`).hostname)
  // `127.1` and the like would silently become an address: the operator should write the address.
  return isIP(host) === 0 ? host : undefined
}
