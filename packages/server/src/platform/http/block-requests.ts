// Blocks addresses and regions before authentication. The list of blocked networks is in the database, and every server
// reloads it when it changes.
import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Platform } from '../core/ctx.ts'
import { networkSet, parseNetwork } from '../outbound/networks.ts'
import { createBlocks as createAddressBlocks, type RequestFacts, refusalOf } from './blocks/blocks.ts'
import type { GeoDatabase } from './blocks/geo-database.ts'
import type { Blocks } from './server.ts'

export const blocksChannel = 'millrace_ip_blocks'

const header = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name]
  return typeof value === 'string' ? value : undefined
}

const factsOf = (request: FastifyRequest): RequestFacts => ({
  peerAddress: request.socket.remoteAddress ?? '',
  xForwardedFor: header(request, 'x-forwarded-for'),
  geoCountry: header(request, 'x-geo-country'),
  geoSubdivision: header(request, 'x-geo-subdivision'),
})

type Screening = ReturnType<Blocks['screen']>

/** Verdicts are cached, because the same clients return and the list rarely changes. */
const maxScreened = 10_000

export type LiveBlocks = Blocks & { channels: Record<string, (payload: string) => void>; reload(): void }

export const createBlocks = async ({ settings, db, geo, log }: Platform): Promise<LiveBlocks> => {
  const addressBlocks = createAddressBlocks(
    networkSet(settings.TRUST_PROXY.flatMap((entry) => parseNetwork(entry) ?? [])),
    settings.REGION_BLOCKS ? geo : noGeography,
  )
  const screened = new LRUCache<string, Screening>({ max: maxScreened })
  const load = async (): Promise<void> => {
    const rows = await db.selectFrom('ip_blocks').select('network').execute()
    addressBlocks.replaceBlocked(rows.flatMap(({ network }) => parseNetwork(network) ?? []))
    screened.clear()
  }
  const reload = (): void => {
    load().catch((error: unknown) => log.error({ err: error }, 'could not reload the blocked networks'))
  }
  await load()
  return {
    screen: (request) => {
      const facts = factsOf(request)
      const key = `${facts.peerAddress}|${facts.xForwardedFor}|${facts.geoCountry}|${facts.geoSubdivision}`
      const known = screened.get(key)
      if (known) return known
      const verdict = addressBlocks.check(facts)
      const screening = { client: verdict.client, refusal: refusalOf(verdict) }
      screened.set(key, screening)
      return screening
    },
    channels: { [blocksChannel]: reload },
    reload,
  }
}

const noGeography: Pick<GeoDatabase, 'region'> = { region: () => ({}) }
