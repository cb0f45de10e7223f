// Which addresses the engine may fetch from for users: public ones, and private ones that the operator allows (hosts,
// networks in CIDR form, or `*`). Pure.

import { BlockList, isIP } from 'node:net'

const privateNetworks: readonly [string, number, 'ipv4' | 'ipv6'][] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['192.88.99.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  // A public address that is the metadata service of one cloud.
  ['168.63.129.16', 32, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 96, 'ipv6'],
  ['64:ff9b::', 96, 'ipv6'],
  ['64:ff9b:1::', 48, 'ipv6'],
  ['100::', 64, 'ipv6'],
  ['2001::', 23, 'ipv6'],
  ['2001:db8::', 32, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['fec0::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
]

const privateList = new BlockList()
for (const [address, prefix, family] of privateNetworks) privateList.addSubnet(address, prefix, family)

// The only IPv6 range with assigned public addresses.
const publicList = new BlockList()
publicList.addSubnet('2000::', 3, 'ipv6')

export type AddressPolicy = {
  allows: (host: string, address: string, port: number) => boolean
  // Whether the operator allows this host by name.
  names: (host: string) => boolean
}

// Ports of Millrace's own services are never reachable on private addresses, even if those are allowed. All addresses
// of this machine count as private, because services on it are not meant for apps.
export const addressPolicy = (
  allowed: readonly string[],
  ownPorts: readonly number[] = [],
  ownAddresses: () => readonly string[] = () => [],
): AddressPolicy => {
  const everything = allowed.includes('*')
  const hosts = new Set(allowed.map((entry) => entry.toLowerCase()))
  const networks = new BlockList()
  for (const entry of allowed) addEntry(networks, entry)
  const named = (host: string, address: string) =>
    everything || hosts.has(host.toLowerCase()) || within(networks, address)
  const closed = (address: string) => isPrivate(address) || ownAddresses().includes(address)
  return {
    names: (host) => everything || hosts.has(host.toLowerCase()),
    allows: (host, address, port) => !closed(address) || (named(host, address) && !ownPorts.includes(port)),
  }
}

export const isPrivate = (address: string): boolean => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  const judged = mapped ?? address
  return within(privateList, judged) || (isIP(judged) === 6 && !within(publicList, judged))
}

const within = (list: BlockList, address: string): boolean => {
  const family = isIP(address)
  return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

const addEntry = (list: BlockList, entry: string): void => {
  const [address = '', prefix] = entry.split('/')
  const family = isIP(address)
  if (family === 0) return
  const type = family === 6 ? 'ipv6' : 'ipv4'
  if (prefix === undefined) list.addAddress(address, type)
  else list.addSubnet(address, Number(prefix), type)
}
