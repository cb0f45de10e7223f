// Blocked regions, and the region that a trusted proxy reports. Pure.

/** ISO 3166-1 alpha-2 country; ISO 3166-2 subdivision with its country (`UA-43`). Undefined if unknown. */
export type Region = { readonly country?: string; readonly subdivision?: string }

const blockedCountries = new Set(['CU', 'IR', 'KP', 'RU', 'SY'])

const blockedSubdivisions = new Set([
  'UA-43', // Crimea
  'UA-40', // Sevastopol
  'UA-14', // Donetsk
  'UA-09', // Luhansk
])

export type RegionVerdict = { readonly blocked: false } | { readonly blocked: true; readonly region: string }

export const regionVerdict = ({ country, subdivision }: Region): RegionVerdict => {
  if (country !== undefined && blockedCountries.has(country)) return { blocked: true, region: country }
  if (subdivision !== undefined && blockedSubdivisions.has(subdivision)) return { blocked: true, region: subdivision }
  return { blocked: false }
}

/** Reads `X-Geo-Country` and `X-Geo-Subdivision`; the subdivision may omit its country. */
export const regionFromHeaders = (geoCountry: string | undefined, geoSubdivision: string | undefined): Region => {
  const parts = /^(?:([A-Z]{2})-)?([A-Z0-9]{1,3})$/.exec(normal(geoSubdivision))
  const country = countryCode(geoCountry) ?? countryCode(parts?.[1])
  if (country === undefined) return {}
  const agrees = parts?.[1] === undefined || parts[1] === country
  return parts && agrees ? { country, subdivision: `${country}-${parts[2]}` } : { country }
}

/** Codes that proxies send for unknown countries. */
const unknownCountries = new Set(['XX', 'ZZ', 'T1', 'A1', 'A2', 'O1', 'EU', 'AP'])

const countryCode = (text: string | undefined): string | undefined => {
  const code = normal(text)
  return /^[A-Z]{2}$/.test(code) && !unknownCountries.has(code) ? code : undefined
}

const normal = (text: string | undefined): string => (text ?? '').trim().toUpperCase()
