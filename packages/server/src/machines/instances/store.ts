// SQL of clouds, their offers and prices.
import type { InstanceConfiguration, Offer, OfferedRegion } from '@millrace/contract/instances'
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import { type CloudOffer, completeConfiguration, type DayState, type GpuKind } from './catalogue.ts'

export type CloudRow = Selectable<Database['clouds']>

export const listClouds = (db: Db): Promise<CloudRow[]> =>
  db.selectFrom('clouds').selectAll().orderBy('key').limit(1000).execute()

export const findCloud = (db: Db, key: string): Promise<CloudRow | undefined> =>
  db.selectFrom('clouds').selectAll().where('key', '=', key).limit(1).executeTakeFirst()

/** Locks the cloud until the end of the transaction, to serialize changes of its offers. */
export const lockCloud = (db: Db, key: string): Promise<CloudRow | undefined> =>
  db.selectFrom('clouds').selectAll().where('key', '=', key).limit(1).forUpdate().executeTakeFirst()

export const upsertCloud = (db: Db, row: Insertable<Database['clouds']>): Promise<CloudRow> =>
  db
    .insertInto('clouds')
    .values(row)
    .onConflict((conflict) => {
      const { kind, name, logo_url, url, token_sealed, enabled, updated_at } = row
      return conflict.column('key').doUpdateSet({ kind, name, logo_url, url, token_sealed, enabled, updated_at })
    })
    .returningAll()
    .executeTakeFirstOrThrow()

export const deleteCloud = async (db: Db, key: string): Promise<void> => {
  await db.deleteFrom('clouds').where('key', '=', key).execute()
}

export const deleteOffers = async (db: Db, cloud: string): Promise<void> => {
  await db.deleteFrom('instance_types').where('cloud_key', '=', cloud).execute()
}

export const insertOffers = async (db: Db, cloud: string, offers: readonly Offer[]): Promise<void> => {
  const rows = offers.map((offer, position) => ({ ...offer, position }))
  await sql`insert into instance_types (cloud_key, catalog_instance_type, position, cloud_instance_type, deployment_type,
      configuration, availability, boot_time)
    select ${cloud}, catalog_instance_type, position, cloud_instance_type, deployment_type, configuration, availability, boot_time
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (catalog_instance_type text, position int,
      cloud_instance_type text, deployment_type text, configuration jsonb, availability jsonb, boot_time jsonb)`.execute(
    db,
  )
}

const offersFrom = (db: Db) =>
  db
    .selectFrom('instance_types')
    .innerJoin('clouds', 'clouds.key', 'instance_types.cloud_key')
    .select(['clouds.key', 'clouds.logo_url'])
    .selectAll('instance_types')

type OfferRow = Awaited<ReturnType<ReturnType<typeof offersFrom>['execute']>>[number]

const toOffer = (row: OfferRow): CloudOffer => ({
  cloud: row.key,
  cloud_logo_url: row.logo_url,
  catalog_instance_type: row.catalog_instance_type,
  cloud_instance_type: row.cloud_instance_type,
  deployment_type: row.deployment_type as Offer['deployment_type'],
  configuration: completeConfiguration(row.configuration as Partial<InstanceConfiguration>),
  availability: row.availability as OfferedRegion[],
  ...(row.boot_time === null ? {} : { boot_time: row.boot_time as Offer['boot_time'] }),
})

/** All offers of enabled clouds. */
export const listOffers = async (db: Db): Promise<CloudOffer[]> =>
  (await offersFrom(db).where('clouds.enabled', '=', true).orderBy('clouds.key').orderBy('position').execute()).map(
    toOffer,
  )

/** The offers of one cloud, even if it is disabled. */
export const listOffersOf = async (db: Db, cloud: string): Promise<CloudOffer[]> =>
  (await offersFrom(db).where('clouds.key', '=', cloud).orderBy('position').execute()).map(toOffer)

export const findOffer = async (db: Db, cloud: string, type: string): Promise<CloudOffer | undefined> => {
  const row = await offersFrom(db)
    .where('clouds.enabled', '=', true)
    .where('clouds.key', '=', cloud)
    .where('catalog_instance_type', '=', type)
    .limit(1)
    .executeTakeFirst()
  return row && toOffer(row)
}

/** Serializes concurrent changes of catalogs, so that each records the prices of the day in order. */
export const lockPrices = async (db: Db): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtext('instance_prices'))`.execute(db)
}

/** The last known prices of each kind. */
export const listLastPrices = async (db: Db): Promise<(GpuKind & { point: unknown })[]> => {
  const { rows } = await sql<GpuKind & { point: unknown }>`
    select distinct on (gpu_type, num_gpus) gpu_type, num_gpus, point from instance_prices
    order by gpu_type, num_gpus, day desc`.execute(db)
  return rows
}

export const upsertPrices = async (
  db: Db,
  day: string,
  states: readonly (GpuKind & { point: DayState['point'] | null })[],
): Promise<void> => {
  await sql`insert into instance_prices (gpu_type, num_gpus, day, point)
    select gpu_type, num_gpus, ${day}, nullif(point, 'null'::jsonb)
    from jsonb_to_recordset(${JSON.stringify(states)}::jsonb) as row (gpu_type text, num_gpus int, point jsonb)
    on conflict (gpu_type, num_gpus, day) do update set point = excluded.point`.execute(db)
}

/** The changes from a day on, and the last one before it. */
export const listPrices = async (db: Db, gpuType: string, gpus: number, from: string) => {
  const { rows } = await sql<{ day: string; point: unknown }>`
    select day, point from instance_prices where lower(gpu_type) = lower(${gpuType}) and num_gpus = ${gpus}
      and day >= coalesce((select max(day) from instance_prices
        where lower(gpu_type) = lower(${gpuType}) and num_gpus = ${gpus} and day <= ${from}), ${from})
    order by day`.execute(db)
  return rows
}

/** Deletes prices that are older than the longest history, except the last one before its start. */
export const deletePricesBefore = async (db: Db, day: string): Promise<void> => {
  await sql`delete from instance_prices old where old.day < ${day} and exists (
    select 1 from instance_prices newer where newer.gpu_type = old.gpu_type and newer.num_gpus = old.num_gpus
      and newer.day > old.day and newer.day <= ${day})`.execute(db)
}
