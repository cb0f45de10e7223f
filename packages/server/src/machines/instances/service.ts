// The instance functions that other features may call.
import type {
  EngineType,
  Instance,
  InstanceType,
  InstanceTypeQuery,
  PricePoint,
  RentalType,
} from '@millrace/contract/instances'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import type { Db } from '#platform/db/database.ts'
import {
  type CloudMatch,
  type CloudOffer,
  engineTypes,
  historyPoints,
  type MachineNeeds,
  matchOffers,
  publicTypes,
  quoteOf,
} from './catalogue.ts'
import { instanceDto } from './dto.ts'
import { listByEngines } from './machines-store.ts'
import * as store from './store.ts'

export { type BrokerAddress, type BrokerAnswer, callBroker, isGood } from './broker-call.ts'
export type { CloudMatch, CloudOffer, MachineNeeds } from './catalogue.ts'
export { brokerNamed, listClouds } from './clouds.ts'

export const listTypes = async (ctx: Ctx<Actor>, query: InstanceTypeQuery): Promise<InstanceType[]> =>
  publicTypes(await store.listOffers(ctx.db), query)

export const listEngineTypes = async (ctx: Ctx<Actor>): Promise<EngineType[]> =>
  engineTypes(await store.listOffers(ctx.db))

const dayMs = 24 * 60 * 60 * 1000
const defaultDays = 90
export const maxDays = 365

export const priceHistory = async (
  ctx: Ctx<Actor>,
  { gpu_type, num_gpus = 1, days = defaultDays }: { gpu_type: string; num_gpus?: number; days?: number },
): Promise<PricePoint[]> => {
  const span = Math.min(days, maxDays)
  const first = new Date(ctx.now().getTime() - (span - 1) * dayMs).toISOString().slice(0, 10)
  return historyPoints(await store.listPrices(ctx.db, gpu_type, num_gpus, first), ctx.now(), span)
}

export const matchCloud = async (ctx: Ctx<Actor>, needs: MachineNeeds): Promise<CloudMatch> =>
  matchOffers(await store.listOffers(ctx.db), needs)

export type Quote = { readonly offer: CloudOffer; readonly kind: string; readonly hourlyPrice: number }

/** The current hourly price of a machine; null if it is not in stock. */
export const quote = async (
  ctx: Ctx<Actor>,
  requested: { cloud: string; region: string; catalog_instance_type: string; rental_type: RentalType },
): Promise<Quote | null> => {
  const offer = await store.findOffer(ctx.db, requested.cloud, requested.catalog_instance_type)
  const hourlyPrice = offer && quoteOf(offer, requested.region, requested.rental_type)
  const cloud = offer && (await store.findCloud(ctx.db, offer.cloud))
  return cloud && hourlyPrice !== undefined ? { offer, kind: cloud.kind, hourlyPrice } : null
}

/** By engine; engines on other machines have none. */
export const instancesOf = async (db: Db, engineIds: readonly string[]): Promise<Map<string, Instance>> =>
  engineIds.length === 0
    ? new Map()
    : new Map((await listByEngines(db, engineIds)).map((row) => [row.engine_id, instanceDto(row)]))
