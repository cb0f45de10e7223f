// Rules of clouds and their offers, managed by platform staff.
import { type Cloud, type InstanceType, type Offer, type SetCloud, SetOffers } from '@millrace/contract/instances'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { compile } from '#platform/core/validate.ts'
import { platformKeyTeam } from '#platform/keyring/keyring.ts'
import { type SealedColumn, sealBinding } from '#platform/keyring/sealed-columns.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { type BrokerAddress, callBroker, isGood } from './broker-call.ts'
import { instanceTypeDto, offersFault, priceStates } from './catalogue.ts'
import { machinesAbandoned } from './extension-points.ts'
import { hasMachines } from './machines-store.ts'
import * as store from './store.ts'

export const sealedTokens: SealedColumn = {
  table: 'clouds',
  column: 'token_sealed',
  teamColumn: null,
  idColumns: ['key'],
}

const tokenBinding = (key: string): string => sealBinding(sealedTokens.table, key, sealedTokens.column)

const toCloud = (row: store.CloudRow): Cloud => ({
  key: row.key,
  kind: row.kind as Cloud['kind'],
  name: row.name,
  logo_url: row.logo_url,
  url: row.url,
  enabled: row.enabled,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

export const listClouds = async (ctx: Ctx<Actor>): Promise<Cloud[]> => (await store.listClouds(ctx.db)).map(toCloud)

const brokerUrl = ({ kind, url = '' }: SetCloud): string => {
  if (kind === 'local') return ''
  const protocol = URL.canParse(url) ? new URL(url).protocol : ''
  if (protocol !== 'http:' && protocol !== 'https:')
    throw fail('validation_error', '`url` must be the http or https address of the broker')
  return url.replace(/\/+$/, '')
}

export const setCloud = (ctx: Ctx, key: string, given: SetCloud): Promise<Cloud> =>
  ctx.tx(async (ctx) => {
    const url = brokerUrl(given)
    const known = await store.lockCloud(ctx.db, key)
    if (known && known.kind !== given.kind && (await hasMachines(ctx.db, key)))
      throw fail('invalid_state', 'This cloud still has machines; remove them before changing its kind')
    const now = ctx.now().toISOString()
    const fresh =
      given.token === undefined
        ? undefined
        : await ctx.keyring.seal(ctx.db, platformKeyTeam, given.token, tokenBinding(key))
    const row = await store.upsertCloud(ctx.db, {
      key,
      kind: given.kind,
      name: given.name,
      logo_url: given.logo_url ?? '',
      url,
      token_sealed: fresh ?? known?.token_sealed ?? null,
      enabled: given.enabled ?? true,
      created_at: now,
      updated_at: now,
    })
    await recordPrices(ctx)
    await recordAudit(ctx, 'cloud.set', { resourceType: 'cloud', resourceId: key, meta: { kind: given.kind } })
    return toCloud(row)
  })

const lockKnown = async (ctx: Ctx<Actor>, key: string): Promise<store.CloudRow> => {
  const row = await store.lockCloud(ctx.db, key)
  if (!row) throw fail('not_found', 'Cloud not found')
  return row
}

/** `abandons`: a broker that no longer exists cannot confirm that its machines are gone. */
export const removeCloud = (ctx: Ctx, key: string, { abandons = false } = {}): Promise<{ success: boolean }> =>
  ctx.tx(async (ctx) => {
    await lockKnown(ctx, key)
    if (abandons) for (const abandon of ctx.extensions.listenersOf(machinesAbandoned)) await abandon(ctx, key)
    if (await hasMachines(ctx.db, key))
      throw fail('invalid_state', 'This cloud still has machines; remove them first, or give them up with `abandon`')
    await store.deleteCloud(ctx.db, key)
    await recordPrices(ctx)
    await recordAudit(ctx, 'cloud.deleted', { resourceType: 'cloud', resourceId: key, meta: { abandons } })
    return { success: true }
  })

/** Updates the price history after a change of the catalog: the changed prices are those of today. */
const recordPrices = async (ctx: Ctx<Actor>): Promise<void> => {
  await store.lockPrices(ctx.db)
  const known = new Map((await store.listLastPrices(ctx.db)).map((row) => [kindKey(row), JSON.stringify(row.point)]))
  const states = priceStates(await store.listOffers(ctx.db))
  const removedKinds = [...known]
    .filter(([key, point]) => point !== 'null' && !states.some((state) => kindKey(state) === key))
    .map(([key]) => {
      const [gpu_type, num_gpus] = JSON.parse(key) as [string, number]
      return { gpu_type, num_gpus, point: null }
    })
  await store.upsertPrices(ctx.db, ctx.now().toISOString().slice(0, 10), [...states, ...removedKinds])
}

const kindKey = (kind: { gpu_type: string; num_gpus: number }): string => JSON.stringify([kind.gpu_type, kind.num_gpus])

export const setOffers = (ctx: Ctx<Actor>, key: string, offers: readonly Offer[]): Promise<InstanceType[]> =>
  ctx.tx(async (ctx) => {
    await lockKnown(ctx, key)
    const fault = offersFault(offers)
    if (fault !== null) throw fail('validation_error', fault)
    await store.deleteOffers(ctx.db, key)
    await store.insertOffers(ctx.db, key, offers)
    await recordPrices(ctx)
    await recordAudit(ctx, 'cloud.types_set', {
      resourceType: 'cloud',
      resourceId: key,
      meta: { types: offers.length },
    })
    return (await store.listOffersOf(ctx.db, key)).map(instanceTypeDto)
  })

/** The broker of a cloud, for the rentals of its machines. */
export const brokerNamed = async (ctx: Ctx<Actor>, key: string): Promise<BrokerAddress> => {
  const cloud = await store.findCloud(ctx.db, key)
  if (!cloud) throw new Error(`Cloud ${key} not found`)
  return brokerOf(ctx, cloud)
}

/** The address of a cloud's broker and the token for it. */
const brokerOf = async (ctx: Ctx<Actor>, cloud: store.CloudRow): Promise<BrokerAddress> => ({
  url: cloud.url,
  token: cloud.token_sealed
    ? (await ctx.keyring.open(ctx.db, cloud.token_sealed, tokenBinding(cloud.key))).toString()
    : '',
})

const isOffers = compile<SetOffers>(SetOffers)

/** Queries the cloud's broker for its offers. */
export const refreshOffers = async (ctx: Ctx<Actor>, key: string): Promise<InstanceType[]> => {
  const cloud = await store.findCloud(ctx.db, key)
  if (!cloud) throw fail('not_found', 'Cloud not found')
  if (cloud.kind !== 'http') throw fail('invalid_state', 'Only a cloud of kind http has a broker')
  const answer = await callBroker(await brokerOf(ctx, cloud), 'GET', '/types').catch((cause: unknown) => {
    throw fail('invalid_state', { detail: 'The broker of this cloud did not answer', cause })
  })
  if (!isGood(answer)) throw fail('invalid_state', `The broker of this cloud answered ${answer.status}`)
  if (!isOffers(answer.body)) throw fail('validation_error', 'The broker’s answer is not a list of types')
  return setOffers(ctx, key, answer.body.types)
}

/** Every hour, cloud by cloud. If a broker does not answer, its cloud keeps its last offers. */
export const refreshAll = async (ctx: Ctx<Actor>): Promise<void> => {
  for (const { key, kind, enabled } of await store.listClouds(ctx.db)) {
    if (kind !== 'http' || !enabled) continue
    await refreshOffers(ctx, key).catch((error: unknown) =>
      ctx.log.warn({ cloud: key, err: error }, 'could not refresh the offers of a cloud'),
    )
  }
}
