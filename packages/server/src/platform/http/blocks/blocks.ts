// Checks before authentication: blocked address first, then blocked region. Independent of HTTP framework and database:
// the caller passes the facts of the request, sends the refusal and exempts health routes.
import { type Network, type NetworkSet, networkSet } from '../../outbound/networks.ts'
import { clientAddress } from './client-address.ts'
import type { GeoDatabase } from './geo-database.ts'
import { type RegionVerdict, regionFromHeaders, regionVerdict } from './region.ts'

export type RequestFacts = {
  readonly peerAddress: string
  readonly xForwardedFor?: string
  readonly geoCountry?: string
  readonly geoSubdivision?: string
}

export type BlockVerdict =
  | { readonly kind: 'pass'; readonly client: string }
  | { readonly kind: 'ip_blocked'; readonly client: string }
  | { readonly kind: 'region_blocked'; readonly client: string; readonly region: string }

export type Blocks = {
  check(facts: RequestFacts): BlockVerdict
  /** Replaces the whole list. */
  replaceBlocked(networks: Iterable<Network>): void
  isBlocked(address: string): boolean
}

export const createBlocks = (trustedProxies: NetworkSet, geo: Pick<GeoDatabase, 'region'>): Blocks => {
  let blocked = networkSet([])

  const regionOf = (facts: RequestFacts, client: string): RegionVerdict => {
    const stated = trustedProxies.has(facts.peerAddress)
      ? regionFromHeaders(facts.geoCountry, facts.geoSubdivision)
      : {}
    // A proxy often knows only the country; a city database may know the subdivision.
    if (stated.country === undefined) return regionVerdict(geo.region(client))
    if (stated.subdivision !== undefined) return regionVerdict(stated)
    const found = geo.region(client)
    return regionVerdict(found.country === stated.country ? found : stated)
  }

  return {
    check(facts) {
      const client = clientAddress(facts.peerAddress, facts.xForwardedFor, trustedProxies)
      if (blocked.has(client)) return { kind: 'ip_blocked', client }
      const verdict = regionOf(facts, client)
      return verdict.blocked ? { kind: 'region_blocked', client, region: verdict.region } : { kind: 'pass', client }
    },
    replaceBlocked(networks) {
      blocked = networkSet(networks)
    },
    isBlocked: (address) => blocked.has(address),
  }
}

export type BlockRefusal = { readonly status: number; readonly contentType: string; readonly body: string }

/** The refusals are not problem+json. They have the CORS headers of every response. */
export const refusalOf = (verdict: BlockVerdict): BlockRefusal | undefined => {
  switch (verdict.kind) {
    case 'pass':
      return undefined
    case 'ip_blocked': {
      const message = 'Requests from this address are blocked because of abuse.'
      return { status: 403, contentType: 'application/json; charset=utf-8', body: JSON.stringify({ message }) }
    }
    case 'region_blocked':
      return {
        status: 451,
        contentType: 'text/plain; charset=utf-8',
        body: 'This service is not available in your region.\n',
      }
  }
}
