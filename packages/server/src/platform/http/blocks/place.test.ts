// Guarantees: the displayed location of an address is its country with the bundled files, and more with a city
// database.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGeoDatabase, type GeoDatabase } from './geo-database.ts'
import { writeMmdb } from './testing/mmdb-writer.ts'

describe('the location of an address', () => {
  let folder: string
  let withCity: GeoDatabase
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-place-'))
    const row = {
      country: { iso_code: 'FR' },
      subdivisions: [{ iso_code: 'OCC', names: { en: 'Occitania' } }],
      city: { names: { en: 'Toulouse' } },
    }
    await writeFile(join(folder, 'city.mmdb'), writeMmdb([{ network: '203.0.114.0/24', row }]))
    withCity = createGeoDatabase({ cityDatabasePath: join(folder, 'city.mmdb') })
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it.each([
    ['203.0.114.7', { city: 'Toulouse', region: 'Occitania', countryCode: 'FR' }],
    ['::ffff:203.0.114.7', { city: 'Toulouse', region: 'Occitania', countryCode: 'FR' }],
    ['8.8.8.8', { city: '', region: '', countryCode: 'US' }],
    ['127.0.0.1', { city: '', region: '', countryCode: '' }],
    ['10.1.2.3', { city: '', region: '', countryCode: '' }],
    ['', { city: '', region: '', countryCode: '' }],
    ['nonsense', { city: '', region: '', countryCode: '' }],
  ])('%s', (address, place) => {
    expect(withCity.place(address)).toEqual(place)
  })

  it('only the country without a city database', () => {
    expect(createGeoDatabase().place('8.8.8.8')).toEqual({ city: '', region: '', countryCode: 'US' })
  })
})
