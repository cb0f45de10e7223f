// Guarantees: requests on a user's behalf reach only public unicast addresses unless configured otherwise, and
// Millrace's own ports stay closed when loopback is allowed.
import { describe, expect, it } from 'vitest'
import { isAddressAllowed, isHostAllowed } from './addresses.ts'
import { type OutboundPolicy, parsePrivateHosts } from './policy.ts'

const policy = (allow = '', extra: Partial<OutboundPolicy> = {}): OutboundPolicy => ({
  allow: parsePrivateHosts(allow).allow,
  loopbackAllowed: false,
  ownPorts: [],
  ...extra,
})

const target = { host: 'example.com', port: 443 }

describe('the default policy', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.1',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.1',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2001:4860:4860::8888',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    '2002:808:808::1',
    '2001:0:808:808::f7f7:f7f7',
  ])('opens %s', (address) => {
    expect(isAddressAllowed(address, target, policy())).toBe(true)
  })

  it.each([
    ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.127.255.255', '100.100.100.200'],
    ...['127.0.0.1', '127.1.2.3', '127.255.255.255', '169.254.0.1', '169.254.169.254', '169.254.170.2'],
    ...['172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.0.192', '192.0.2.1', '192.88.99.1', '192.168.0.1'],
    ...['192.168.255.255', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1'],
    ...['239.255.255.255', '240.0.0.1', '255.255.255.255', '168.63.129.16'],
    ...['::', '::1', '::127.0.0.1', '::10.0.0.1', '::8.8.8.8:0', '::ffff:127.0.0.1', '::ffff:10.0.0.1'],
    ...['::ffff:169.254.169.254', '::ffff:0:127.0.0.1', '::ffff:0:10.0.0.1', '64:ff9b::127.0.0.1'],
    ...['64:ff9b::10.0.0.1', '64:ff9b::169.254.169.254', '64:ff9b:1::1', '64:ff9b:1::8.8.8.8', '100::1'],
    ...['2001::1', '2001:0:7f00:1::f7f7:f7f7', '2001:0:808:808::80ff:fffe', '2001:0:808:808::f5ff:fffe'],
    ...['2001:2::1', '2001:10::1', '2001:20::1', '2001:db8::1', '2002:7f00:1::1', '2002:a00:1::1', '2002:a9fe:a9fe::1'],
    ...['2002:c0a8:101::1', '3fff::1', '5f00::1', 'fc00::1', 'fd00::1', 'fd00:ec2::254', 'fd20:ce::254'],
    ...['fe80::1', 'fe80::1%eth0', 'febf::1', 'fec0::1', 'ff00::1', 'ff02::1', '4000::1', '8000::1', 'e000::1'],
    ...['2606:4700::5efe:10.0.0.1', '2606:4700::200:5efe:127.0.0.1'],
    ...['', 'example.com', '127.1', '0x7f000001', '2130706433'],
  ])('refuses %s', (address) => {
    expect(isAddressAllowed(address, target, policy())).toBe(false)
  })
})

describe('the operator’s exceptions', () => {
  const own = { loopbackAllowed: true, ownPorts: [7700, 7701] }
  it.each<[string, string, string, number, OutboundPolicy, boolean]>([
    ['a listed host may have any address', '10.0.0.5', 'intranet.corp', 80, policy('intranet.corp'), true],
    ['names ignore case and the final dot', '10.0.0.5', 'Intranet.Corp.', 80, policy('intranet.corp'), true],
    ['another host is not allowed', '10.0.0.5', 'other.corp', 80, policy('intranet.corp'), false],
    ['a subdomain is not allowed', '10.0.0.5', 'a.intranet.corp', 80, policy('intranet.corp'), false],
    ['a network allows its addresses', '10.0.0.5', 'x.example', 80, policy('10.0.0.0/24'), true],
    ['a network allows no others', '10.0.1.5', 'x.example', 80, policy('10.0.0.0/24'), false],
    ['a network allows the mapped form', '::ffff:10.0.0.5', 'x.example', 80, policy('10.0.0.0/24'), true],
    ['a single address', 'fd00::7', 'fd00::7', 80, policy('[fd00::7]'), true],
    ['`*` allows everything', '169.254.169.254', 'x.example', 80, policy('*'), true],
    ['loopback when the server is on loopback', '127.0.0.1', 'localhost', 11434, policy('', own), true],
    ['loopback in IPv6', '::1', 'localhost', 11434, policy('', own), true],
    ['loopback in the mapped form', '::ffff:127.0.0.1', 'x.example', 11434, policy('', own), true],
    ['own ports are refused', '127.0.0.1', 'localhost', 7700, policy('', own), false],
    ['own ports are refused through IPv6', '::1', 'localhost', 7701, policy('', own), false],
    ['own ports are refused through the mapped form', '::ffff:127.0.0.1', 'x.example', 7700, policy('', own), false],
    ['own ports are refused through another loopback address', '127.9.9.9', 'x.example', 7700, policy('', own), false],
    ['own ports are refused through the unspecified address', '0.0.0.0', 'x.example', 80, policy('', own), false],
    ['own ports are refused through IPv6 unspecified', '::', 'x.example', 80, policy('', own), false],
    ['loopback behind a gateway is refused', '64:ff9b::127.0.0.1', 'x.example', 80, policy('', own), false],
    ['allowed loopback allows nothing else', '10.0.0.1', 'x.example', 80, policy('', own), false],
    ['own ports elsewhere are ordinary', '8.8.8.8', 'x.example', 7700, policy('', own), true],
  ])('%s', (_claim, address, host, port, given, expected) => {
    expect(isAddressAllowed(address, { host, port }, given)).toBe(expected)
  })

  it.each<[string, OutboundPolicy, boolean]>([
    ['localhost', policy(), false],
    ['LOCALHOST.', policy(), false],
    ['a.b.localhost', policy(), false],
    ['localhost.localdomain', policy(), false],
    ['metadata.google.internal', policy(), false],
    ['metadata.google.internal.', policy(), false],
    ['notlocalhost', policy(), true],
    ['localhost.example.com', policy(), true],
    ['localhost', policy('', { loopbackAllowed: true }), true],
    ['localhost', policy('127.0.0.0/8'), true],
    ['localhost', policy('localhost'), true],
    ['a.localhost', policy('localhost'), false],
    ['metadata.google.internal', policy('', { loopbackAllowed: true }), false],
    ['metadata.google.internal', policy('*'), true],
  ])('the name %s', (host, given, expected) => {
    expect(isHostAllowed(host, given)).toBe(expected)
  })
})

describe('ALLOW_PRIVATE_HOSTS', () => {
  it('reads hosts, networks and `*`, and names invalid entries', () => {
    const { allow, problems } = parsePrivateHosts(
      'Ollama, my_db.internal 10.0.0.0/8,[::1],*, a:80,http://x,127.1,10.0.0.0/99,*.x',
    )
    expect([...allow.hosts]).toEqual(['ollama', 'my_db.internal'])
    expect(allow.any).toBe(true)
    expect(allow.networks.size).toBe(2)
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
      'a:80',
      'http://x',
      '127.1',
      '10.0.0.0/99',
      '*.x',
    ])
  })

  it('allows nothing when empty', () => {
    expect(parsePrivateHosts(' ').allow).toMatchObject({ any: false, hosts: new Set() })
  })
})
