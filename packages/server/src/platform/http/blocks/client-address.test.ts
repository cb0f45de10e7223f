// Guarantees: a client cannot choose the address that is checked.
import { describe, expect, it } from 'vitest'
import { networkSet, parseNetworks } from '../../outbound/networks.ts'
import { clientAddress } from './client-address.ts'

describe('the client behind proxies', () => {
  it.each<[string, string, string | undefined, string, string]>([
    ['no proxy is trusted: the header is ignored', '203.0.113.9', '198.51.100.1', '', '203.0.113.9'],
    ['the peer is not a trusted proxy', '203.0.113.9', '198.51.100.1', '10.0.0.0/8', '203.0.113.9'],
    ['one trusted proxy', '10.0.0.1', '198.51.100.1', '10.0.0.0/8', '198.51.100.1'],
    ['the client’s own entries are ignored', '10.0.0.1', '8.8.8.8, 198.51.100.1', '10.0.0.0/8', '198.51.100.1'],
    ['two trusted proxies', '10.0.0.1', '198.51.100.1, 10.0.0.2', '10.0.0.0/8', '198.51.100.1'],
    ['an untrusted proxy in between is the client', '10.0.0.1', '1.1.1.1, 9.9.9.9, 10.0.0.2', '10.0.0.0/8', '9.9.9.9'],
    ['a forged trusted address left of the client', '10.0.0.1', '10.0.0.9, 198.51.100.1', '10.0.0.0/8', '198.51.100.1'],
    ['all hops are trusted: the first hop', '10.0.0.1', '10.0.0.7, 10.0.0.2', '10.0.0.0/8', '10.0.0.7'],
    ['no header', '10.0.0.1', undefined, '10.0.0.0/8', '10.0.0.1'],
    ['an empty header', '10.0.0.1', '', '10.0.0.0/8', '10.0.0.1'],
    ['an invalid entry from the proxy', '10.0.0.1', 'unknown', '10.0.0.0/8', '10.0.0.1'],
    ['an invalid entry further left', '10.0.0.1', 'unknown, 198.51.100.1', '10.0.0.0/8', '198.51.100.1'],
    ['an invalid entry left of a second proxy', '10.0.0.1', 'x, 10.0.0.2', '10.0.0.0/8', '10.0.0.2'],
    ['a peer in the mapped form', '::ffff:10.0.0.1', '198.51.100.1', '10.0.0.1', '198.51.100.1'],
    ['the mapped form is one address', '::ffff:203.0.113.9', undefined, '', '203.0.113.9'],
    ['IPv6', '::1', '2001:DB8:0::1', '::1', '2001:db8::1'],
    ['an entry with a port', '10.0.0.1', '198.51.100.1:5123', '10.0.0.1', '198.51.100.1'],
    ['an IPv6 entry with a port', '10.0.0.1', '[2001:db8::1]:5123', '10.0.0.1', '2001:db8::1'],
    ['odd spaces', '10.0.0.1', '  198.51.100.1  ', '10.0.0.1', '198.51.100.1'],
    ['other notations are not addresses', '10.0.0.1', '0x7f.1', '10.0.0.1', '10.0.0.1'],
    ['a peer without an address', '', '198.51.100.1', '0.0.0.0/0', ''],
  ])('%s', (_claim, peer, header, trusted, expected) => {
    expect(clientAddress(peer, header, networkSet(parseNetworks(trusted).networks))).toBe(expected)
  })
})
