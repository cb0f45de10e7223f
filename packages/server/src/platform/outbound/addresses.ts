// Decides whether a request on a user's behalf may be sent to an address. Pure: the address is already resolved. Only
// public unicast addresses are allowed by default.
import ipaddr from 'ipaddr.js'
import { type Address, parseAddress } from './networks.ts'
import { comparableHost, type OutboundPolicy } from './policy.ts'

/** `host` is the name that was resolved, `port` the port of the connection. */
export const isAddressAllowed = (
  addressText: string,
  target: { readonly host: string; readonly port: number },
  policy: OutboundPolicy,
): boolean => {
  const address = parseAddress(addressText)
  if (!address) return false
  const isLocal = address.range() === 'loopback' || address.range() === 'unspecified'
  // Not configurable: Millrace's own ports trust requests from this machine.
  if (isLocal && policy.ownPorts.includes(target.port)) return false
  if (isHostNamed(target.host, policy) || policy.allow.networks.has(address)) return true
  if (address.range() === 'loopback') return policy.loopbackAllowed
  return carriedBy(address).every(isPublic)
}

/** Rejects names that can only mean this machine or cloud metadata before they are resolved. */
export const isHostAllowed = (host: string, policy: OutboundPolicy): boolean => {
  if (isHostNamed(host, policy)) return true
  const name = comparableHost(host)
  if (loopbackNames.has(name) || name.endsWith('.localhost')) {
    return policy.loopbackAllowed || policy.allow.networks.has('127.0.0.1') || policy.allow.networks.has('::1')
  }
  return !metadataNames.has(name)
}

const isHostNamed = (host: string, policy: OutboundPolicy): boolean =>
  policy.allow.any || policy.allow.hosts.has(comparableHost(host))

const loopbackNames = new Set(['localhost', 'localhost.localdomain', 'ip6-localhost', 'ip6-loopback'])
const metadataNames = new Set(['metadata', 'metadata.google.internal', 'metadata.goog', 'instance-data'])

// Azure serves machine metadata on a public address.
const metadataAddresses = new Set(['168.63.129.16'])
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

const isPublic = (address: Address): boolean => {
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' ? !metadataAddresses.has(address.toString()) : address.match(globalUnicast)
}

/** An IPv6 address may embed IPv4 addresses to which a gateway or tunnel forwards; those are checked. */
const carriedBy = (address: Address): Address[] => {
  if (!(address instanceof ipaddr.IPv6)) return [address]
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = address.parts
  const noneBefore = (words: number[]) => words.every((word) => word === 0)
  if (noneBefore([a, b, c, d, e, f])) return [ipv4(g, h)] // IPv4-compatible, and with it :: and ::1
  if (noneBefore([a, b, c, d, f]) && e === 0xffff) return [ipv4(g, h)] // stateless translation, RFC 7915
  if (a === 0x64 && b === 0xff9b && noneBefore([c, d, e, f])) return [ipv4(g, h)] // NAT64, RFC 6052
  if (a === 0x2002) return [ipv4(b, c)] // 6to4, RFC 3056
  if (a === 0x2001 && b === 0) return [ipv4(c, d), ipv4(g ^ 0xffff, h ^ 0xffff)] // Teredo: server and client, RFC 4380
  if (f === 0x5efe && (e === 0 || e === 0x200)) return [address, ipv4(g, h)] // ISATAP, RFC 5214
  return [address]
}

const ipv4 = (high: number, low: number): ipaddr.IPv4 => new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255])
