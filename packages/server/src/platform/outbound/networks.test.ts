// Guarantees: an entry of a network list matches exactly its addresses in both families, and invalid entries are
// reported.
import { describe, expect, it } from 'vitest'
import { networkSet, parseNetwork, parseNetworks } from './networks.ts'

const setOf = (text: string) => networkSet(parseNetworks(text).networks)

describe('network membership', () => {
  it.each<[string, string, boolean]>([
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.1.2.3/8', '10.9.9.9', true],
    ['192.168.1.7', '192.168.1.7', true],
    ['192.168.1.7', '192.168.1.8', false],
    ['192.168.1.0/31', '192.168.1.1', true],
    ['192.168.1.0/31', '192.168.1.2', false],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', '::1', false],
    ['::/0', '2001:db8::1', true],
    ['::/0', '203.0.113.9', false],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['2001:db8::/33', '2001:db8:8000::1', false],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['::ffff:10.0.0.0/104', '10.1.2.3', true],
    ['::ffff:10.0.0.1', '10.0.0.1', true],
    ['fe80::/10', 'fe80::1%eth0', true],
    ['10.0.0.0/8, 172.16.0.0/12 2001:db8::1', '2001:db8::1', true],
    ['', '10.0.0.1', false],
    ['10.0.0.0/8', 'example.com', false],
    ['10.0.0.0/8', '', false],
  ])('%s has %s: %s', (networks, address, expected) => {
    expect(setOf(networks).has(address)).toBe(expected)
  })

  it('finds one address among many entries of every prefix length', () => {
    const texts = Array.from({ length: 65_536 }, (_, i) => `100.${i >> 8}.${i & 255}.1`)
    for (let prefix = 8; prefix <= 32; prefix++) texts.push(`20.0.0.0/${prefix}`)
    const many = setOf(texts.join(','))
    expect(many.size).toBe(65_536 + 25)
    expect(many.has('100.200.17.1')).toBe(true)
    expect(many.has('100.200.17.2')).toBe(false)
    expect(many.has('20.255.0.1')).toBe(true)
  })

  it.each([
    '10.0.0.0/33',
    '::1/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.0.0',
    '10.0.0/8',
    '010.0.0.1',
    '0x7f.0.0.1',
    '2130706433',
    '127.1',
    '::ffff:10.0.0.0/95',
    'fe80::1%eth0',
    'example.com',
    '-1',
    '10.0.0.0/-1',
    '10.0.0.0/1e1',
  ])('%s is not a network', (text) => {
    expect(parseNetwork(text)).toBeUndefined()
  })

  it('names every invalid entry of a setting', () => {
    const { networks, problems } = parseNetworks('10.0.0.0/8, nonsense,  300.1.1.1\n::1')
    expect(networks).toHaveLength(2)
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual(['nonsense', '300.1.1.1'])
  })
})
