// Parses IP addresses and networks, and tests membership in large sets.
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6
export type Network = { readonly address: Address; readonly prefixLength: number }

/** Canonical notation only. An IPv4-mapped IPv6 address becomes its IPv4 address. */
export const parseAddress = (text: string): Address | undefined => {
  if (isIP(text) === 0) return undefined
  const [bare = ''] = text.split('%')
  return ipaddr.process(bare)
}

/** `10.0.0.0/8`, `2001:db8::/32`, or a single address. */
export const parseNetwork = (text: string): Network | undefined => {
  const [base = '', prefix, ...rest] = text.split('/')
  if (isIP(base) === 0 || base.includes('%') || rest.length > 0) return undefined
  if (prefix !== undefined && !/^\d{1,3}$/.test(prefix)) return undefined
  const written = ipaddr.parse(base)
  const address = written instanceof ipaddr.IPv6 && written.isIPv4MappedAddress() ? written.toIPv4Address() : written
  const writtenBits = bitsOf(written)
  const writtenLength = prefix === undefined ? writtenBits : Number(prefix)
  // The prefix of a mapped network (`::ffff:10.0.0.0/104`) counts from the start of the IPv6 form.
  const prefixLength = writtenLength - (writtenBits - bitsOf(address))
  if (writtenLength > writtenBits || prefixLength < 0) return undefined
  return { address, prefixLength }
}

/** A list separated by commas or spaces; `problems` names every invalid entry. */
export const parseNetworks = (text: string): { networks: Network[]; problems: string[] } => {
  const networks: Network[] = []
  const problems: string[] = []
  for (const entry of splitList(text)) {
    const network = parseNetwork(entry)
    if (network) networks.push(network)
    else problems.push(`${entry} is neither an IP address nor a network such as 10.0.0.0/8`)
  }
  return { networks, problems }
}

export const splitList = (text: string): string[] => text.split(/[\s,]+/).filter((entry) => entry !== '')

export type NetworkSet = { readonly size: number; has(address: Address | string): boolean }

/** One lookup per distinct prefix length, independent of the number of entries. */
export const networkSet = (networks: Iterable<Network>): NetworkSet => {
  const v4 = new Map<number, Set<bigint>>()
  const v6 = new Map<number, Set<bigint>>()
  for (const { address, prefixLength } of networks) {
    const family = address.kind() === 'ipv4' ? v4 : v6
    const members = family.get(prefixLength) ?? new Set()
    family.set(prefixLength, members.add(prefixOf(address, prefixLength)))
  }
  const size = [...v4.values(), ...v6.values()].reduce((sum, members) => sum + members.size, 0)
  return {
    size,
    has(candidate) {
      if (size === 0) return false
      const address = typeof candidate === 'string' ? parseAddress(candidate) : candidate
      if (!address) return false
      const bits = bitsOf(address)
      const value = numberOf(address)
      for (const [prefixLength, members] of bits === 32 ? v4 : v6) {
        if (members.has(value >> BigInt(bits - prefixLength))) return true
      }
      return false
    },
  }
}

const bitsOf = (address: Address): number => (address.kind() === 'ipv4' ? 32 : 128)

const numberOf = (address: Address): bigint => {
  let value = 0n
  for (const byte of address.toByteArray()) value = (value << 8n) | BigInt(byte)
  return value
}

const prefixOf = (address: Address, prefixLength: number): bigint =>
  numberOf(address) >> BigInt(bitsOf(address) - prefixLength)
