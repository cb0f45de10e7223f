// Looks up the location of an address in database files. A file is read at its first lookup, so installations with
// private addresses only never load it. The bundled files take 3.6 MB (IPv4) and 5.5 MB (IPv6) outside the JavaScript
// heap.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Reader, type Response as Row } from 'maxmind'
import { type Address, parseAddress } from '../../outbound/networks.ts'
import type { Region } from './region.ts'

declare module '../../core/ctx.ts' {
  interface Platform {
    readonly geo: GeoDatabase
  }
}

export type GeoDatabase = {
  /** ISO 3166-1 alpha-2 code; undefined for private, loopback and unknown addresses. */
  country(address: string): string | undefined
  region(address: string): Region
  /** Location for display; city and region need a city database. */
  place(address: string): GeoLocation
}

/** Unknown parts are empty. */
export type GeoLocation = { readonly city: string; readonly region: string; readonly countryCode: string }

type CountryRow = { readonly country_code?: string }
type Names = { readonly names?: { readonly en?: string } }
type CityRow = {
  readonly country?: { readonly iso_code?: string }
  readonly subdivisions?: readonly (Names & { readonly iso_code?: string })[]
  readonly city?: Names
}

/** `cityDatabasePath`: an optional MMDB file in the format of GeoLite2 City, which adds cities and subdivisions. */
export const createGeoDatabase = ({ cityDatabasePath }: { cityDatabasePath?: string } = {}): GeoDatabase => {
  const v4 = lazily(() => openDatabase<CountryRow>(bundledPath('ipv4')))
  const v6 = lazily(() => openDatabase<CountryRow>(bundledPath('ipv6')))
  // Opened at once, so that a wrong path fails the start and not the first request.
  const city = cityDatabasePath === undefined ? undefined : openDatabase<CityRow>(cityDatabasePath)

  const bundledCountry = (address: Address): string | undefined => {
    const database = address.kind() === 'ipv4' ? v4() : v6()
    return database.get(address.toString())?.country_code
  }

  const region = (text: string): Region => {
    const address = parseAddress(text)
    if (address?.range() !== 'unicast') return {}
    const row = city?.get(address.toString())
    const country = row?.country?.iso_code ?? bundledCountry(address)
    const subdivision = row?.subdivisions?.[0]?.iso_code
    if (country === undefined) return {}
    return subdivision === undefined ? { country } : { country, subdivision: `${country}-${subdivision}` }
  }

  const place = (text: string): GeoLocation => {
    const countryCode = region(text).country ?? ''
    const row = countryCode === '' ? undefined : city?.get(parseAddress(text)?.toString() ?? text)
    return {
      city: row?.city?.names?.en ?? '',
      region: row?.subdivisions?.[0]?.names?.en ?? '',
      countryCode,
    }
  }

  return { region, place, country: (address) => region(address).country }
}

const bundledPath = (family: 'ipv4' | 'ipv6'): string =>
  createRequire(import.meta.url).resolve(
    `@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country-${family}.mmdb`,
  )

const openDatabase = <T>(path: string): Reader<T & Row> => new Reader<T & Row>(readFileSync(path))

const lazily = <T>(make: () => T): (() => T) => {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
