// Guarantees: a blocked address or region is refused before authentication, based on the bundled country file, a city
// database or a trusted proxy. Private addresses have no region and are never blocked by region.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { networkSet, parseNetworks } from '../../outbound/networks.ts'
import { createBlocks, type RequestFacts, refusalOf } from './blocks.ts'
import { createGeoDatabase, type GeoDatabase } from './geo-database.ts'
import { writeMmdb } from './testing/mmdb-writer.ts'

const networks = (text: string) => parseNetworks(text).networks
const bundled = createGeoDatabase()
let folder: string
let withCity: GeoDatabase

const cityRow = (country: string, subdivision: string) => ({
  country: { iso_code: country },
  subdivisions: [{ iso_code: subdivision }],
})

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-blocks-'))
  const path = join(folder, 'city.mmdb')
  const rows = [
    { network: '91.198.36.0/24', row: cityRow('UA', '43') },
    { network: '91.198.37.0/25', row: cityRow('UA', '30') },
    { network: '8.8.8.0/24', row: { country: { iso_code: 'US' } } },
  ]
  writeFileSync(path, writeMmdb(rows))
  withCity = createGeoDatabase({ cityDatabasePath: path })
})

afterAll(() => rmSync(folder, { recursive: true }))

describe('country of an address', () => {
  it.each<[string, string | undefined]>([
    ['8.8.8.8', 'US'],
    ['77.88.8.8', 'RU'],
    ['200.55.128.1', 'CU'],
    ['175.45.176.1', 'KP'],
    ['2.176.0.1', 'IR'],
    ['82.137.192.1', 'SY'],
    ['91.198.36.1', 'UA'],
    ['::ffff:77.88.8.8', 'RU'],
    ['2a02:6b8::1', 'RU'],
    ['2001:4860:4860::8888', 'US'],
    ...['127.0.0.1', '::1', '10.1.2.3', '192.168.0.1', '172.16.0.1', '100.64.0.1', '169.254.1.1'].map(nowhere),
    ...['fd00::1', 'fe80::1', '::', '0.0.0.0', '::ffff:10.0.0.1', '', 'example.com', '77.88.8'].map(nowhere),
  ])('%s is in %s', (address, country) => {
    expect(bundled.country(address)).toBe(country)
  })

  it.each([
    ['91.198.36.7', { country: 'UA', subdivision: 'UA-43' }],
    ['91.198.37.7', { country: 'UA', subdivision: 'UA-30' }],
    ['8.8.8.8', { country: 'US' }],
    ['77.88.8.8', { country: 'RU' }],
    ['10.0.0.1', {}],
  ])('a city file knows %s, and the bundled file the rest', (address, region) => {
    expect(withCity.region(address)).toEqual(region)
  })

  it('a missing city database fails the start', () => {
    expect(() => createGeoDatabase({ cityDatabasePath: join(folder, 'absent.mmdb') })).toThrow('ENOENT')
  })
})

function nowhere(address: string): [string, undefined] {
  return [address, undefined]
}

describe('the checks', () => {
  const trusted = networkSet(networks('10.0.0.0/8 127.0.0.1'))
  const proxy = { peerAddress: '10.0.0.1' }
  it.each<[string, RequestFacts, string]>([
    ['an ordinary client', { peerAddress: '8.8.8.8' }, 'pass'],
    ['a blocked country', { peerAddress: '77.88.8.8' }, 'region_blocked'],
    ['a blocked country behind a proxy', { ...proxy, xForwardedFor: '77.88.8.8' }, 'region_blocked'],
    ['a blocked subdivision', { peerAddress: '91.198.36.7' }, 'region_blocked'],
    ['another subdivision', { peerAddress: '91.198.37.7' }, 'pass'],
    ['a loopback client', { peerAddress: '127.0.0.1' }, 'pass'],
    ['a private client behind a proxy', { ...proxy, xForwardedFor: '192.168.7.7' }, 'pass'],
    ['a country from a proxy', { ...proxy, xForwardedFor: '8.8.8.8', geoCountry: 'KP' }, 'region_blocked'],
    ['a country from a proxy without an address', { ...proxy, geoCountry: 'KP' }, 'region_blocked'],
    ['a subdivision from a proxy', { ...proxy, geoCountry: 'UA', geoSubdivision: 'UA-40' }, 'region_blocked'],
    ['a proxy overrides the file', { ...proxy, xForwardedFor: '77.88.8.8', geoCountry: 'FI' }, 'pass'],
    ['a proxy without a known country', { ...proxy, xForwardedFor: '77.88.8.8', geoCountry: 'XX' }, 'region_blocked'],
    ['a proxy with a country only', { ...proxy, xForwardedFor: '91.198.36.7', geoCountry: 'UA' }, 'region_blocked'],
    ['headers of other clients are ignored', { peerAddress: '8.8.8.8', geoCountry: 'KP' }, 'pass'],
    [
      'headers of other clients cannot unblock a region',
      { peerAddress: '77.88.8.8', geoCountry: 'FI' },
      'region_blocked',
    ],
    ['a blocked address', { peerAddress: '198.51.100.7' }, 'ip_blocked'],
    ['a blocked address in the mapped form', { peerAddress: '::ffff:198.51.100.7' }, 'ip_blocked'],
    ['a blocked address behind a proxy', { ...proxy, xForwardedFor: '198.51.100.7' }, 'ip_blocked'],
    [
      'a forged header does not unblock an address',
      { peerAddress: '198.51.100.7', xForwardedFor: '8.8.8.8' },
      'ip_blocked',
    ],
    [
      'a forged header in front of the proxy does not unblock an address',
      { ...proxy, xForwardedFor: '8.8.8.8, 198.51.100.7' },
      'ip_blocked',
    ],
    ['a blocked network', { peerAddress: '2001:db8:1::9' }, 'ip_blocked'],
    ['the address is checked before the region', { peerAddress: '5.255.255.70' }, 'ip_blocked'],
  ])('%s', (_claim, facts, expected) => {
    const blocks = createBlocks(trusted, withCity)
    blocks.replaceBlocked(networks('198.51.100.7 2001:db8:1::/48 5.255.255.70'))
    expect(blocks.check(facts).kind).toBe(expected)
  })

  it('applies changes of the list', () => {
    const blocks = createBlocks(trusted, bundled)
    expect(blocks.isBlocked('198.51.100.7')).toBe(false)
    blocks.replaceBlocked(networks('198.51.100.0/24'))
    expect(blocks.isBlocked('198.51.100.7')).toBe(true)
    blocks.replaceBlocked([])
    expect(blocks.check({ peerAddress: '198.51.100.7' })).toEqual({ kind: 'pass', client: '198.51.100.7' })
  })

  it('has the refusals of the specification', () => {
    expect(refusalOf({ kind: 'pass', client: '' })).toBeUndefined()
    const ip = refusalOf({ kind: 'ip_blocked', client: '198.51.100.7' })
    expect(ip).toMatchObject({ status: 403, contentType: expect.stringContaining('application/json') })
    expect(JSON.parse(ip?.body ?? '')).toEqual({ message: expect.any(String) })
    const region = refusalOf({ kind: 'region_blocked', client: '77.88.8.8', region: 'RU' })
    expect(region).toMatchObject({ status: 451, contentType: expect.stringContaining('text/plain') })
  })
})
