// SQL of fires: the log, and deliveries that came before.
import { isShortId } from '@millrace/contract/ids'
import { type Selectable, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { prepared } from '#platform/db/prepared.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import { plainArray, textArray } from './text-array.ts'

export type FireRow = Omit<Selectable<Database['trigger_fires']>, 'whole_payload' | 'traceparent'>

const columns = [
  'id',
  'trigger_id',
  'team_id',
  'status',
  'kind',
  'payload',
  'error',
  'duration_ms',
  'chat_id',
  'task_id',
  'flow_run_id',
  'delivery_id',
  'duplicates',
  'attempts',
  'available_at',
  'created_at',
  'updated_at',
] as const

/** Spelled in the statement, not sent with it: only so the indexes of the log, which leave it out, can be chosen. */
const pending = sql.lit('pending' as const)

/** Fires are shown once their dispatch has ended, one way or another. */
export const selectFires = (db: Db, teamId: string) =>
  db
    .selectFrom('trigger_fires')
    .select(columns.map((name) => `trigger_fires.${name}` as const))
    .where('trigger_fires.team_id', '=', teamId)
    .where('trigger_fires.status', '<>', pending)

export const findFire = (db: Db, teamId: string, id: string): Promise<FireRow | undefined> =>
  selectFires(db, teamId)
    .where('id', '>=', id)
    // The primary key is in byte order: ids that begin with a short one lie between it and this.
    .where('id', '<=', isShortId(id) ? `${id}~` : id)
    .limit(1)
    .executeTakeFirst()

/** A fire as it is written down; payloads are JSON text. */
export type NewFire = {
  readonly id: string
  readonly trigger_id: string
  readonly team_id: string
  readonly status: FireRow['status']
  readonly kind: FireRow['kind']
  readonly payload: string
  readonly whole_payload?: string | null
  readonly error?: string
  readonly duration_ms?: number
  readonly task_id?: string | null
  readonly flow_run_id?: string | null
  readonly created_at: string
}

export const insertFires = async (db: Db, fires: readonly NewFire[]): Promise<void> => {
  await db
    .insertInto('trigger_fires')
    .values(fires.map((fire) => ({ ...fire, available_at: fire.created_at, updated_at: fire.created_at })))
    .execute()
}

/** A trigger as it was known when a delivery for it was found good. */
export type KnownTrigger = {
  readonly id: string
  readonly revision: number
  /** Changes with the value of the secret; empty without one. */
  readonly secretStamp: string
}

export type Delivery = {
  readonly id: string
  readonly trigger: KnownTrigger
  readonly status: 'pending' | 'filtered'
  /** JSON text. */
  readonly payload: string
  readonly wholePayload: string | null
  readonly deliveryId: string | null
  /** Deliveries with the same id that arrived together with this one. */
  readonly duplicates: number
  /** Of the trace that the sender named; empty without one. */
  readonly traceparent: string
}

export type StoredDelivery = { id: string; trigger_id: string; delivery_id: string | null }

const writeDeliveries = prepared(
  (
    db,
    knownIds: string,
    revisions: string,
    secretStamps: string,
    now: string,
    ids: string,
    places: string,
    statuses: string,
    wholePayloads: string,
    deliveryIds: string,
    duplicates: string,
    traceparents: string,
    payloads: string,
    sameSince: string,
  ) => ({
    compile: () =>
      sql<StoredDelivery>`
    with present as (
      select t.id, t.team_id, k.place
      from unnest(${knownIds}::text[], ${revisions}::int[], ${secretStamps}::text[])
        with ordinality as k (id, revision, secret_stamp, place)
      join triggers t on t.id = k.id and t.revision = k.revision and t.type = 'webhook' and t.enabled
      left join secrets s on s.team_id = t.team_id and s.scope = 'team' and s.key = t.config ->> 'secret_ref'
        and s.deleted_at is null
      where coalesce(s.id || ':' || s.version, '') = k.secret_stamp
    )
    insert into trigger_fires as f (
      id, trigger_id, team_id, status, kind, payload, whole_payload, delivery_id, duplicates, traceparent,
      available_at, created_at, updated_at)
    select g.id, p.id, p.team_id, g.status, 'hook', g.payload, g.whole_payload, g.delivery_id, g.duplicates,
      g.traceparent, ${now}::timestamptz, ${now}::timestamptz, ${now}::timestamptz
    from rows from (
      unnest(${ids}::text[], ${places}::int[], ${statuses}::text[], ${wholePayloads}::json[], ${deliveryIds}::text[],
        ${duplicates}::int[], ${traceparents}::text[]),
      json_array_elements(${payloads}::json))
      with ordinality as g (id, place, status, whole_payload, delivery_id, duplicates, traceparent, payload, number)
    join present p on p.place = g.place
    order by g.number
    on conflict (trigger_id, delivery_id) where delivery_id is not null
    do update set duplicates = f.duplicates + 1 + excluded.duplicates, updated_at = excluded.updated_at
      where f.created_at > ${sameSince}::timestamptz
    returning f.id, f.trigger_id, f.delivery_id`.compile(db),
  }),
)

/**
 * Writes deliveries whose trigger still is what it was when they were found good: enabled, unchanged, with the same
 * secret. One that came before is counted with the first. What is not among the answers was not written. No two of
 * them may be the same delivery, and they come in an order that all replicas share, so that two batches with the same
 * deliveries cannot wait for each other. Payloads are JSON already and travel as one JSON array: the elements of an SQL
 * array would have to be escaped one by one.
 */
export const insertDeliveries = (
  db: Db,
  deliveries: readonly Delivery[],
  { now, sameSince }: { now: string; sameSince: string },
): Promise<StoredDelivery[]> => {
  const known = [...new Set(deliveries.map(({ trigger }) => trigger))]
  const places = new Map(known.map((trigger, index) => [trigger, index + 1]))
  return writeDeliveries(
    db,
    plainArray(known.map((one) => one.id)),
    plainArray(known.map((one) => one.revision)),
    textArray(known.map((one) => one.secretStamp)),
    now,
    plainArray(deliveries.map((one) => one.id)),
    plainArray(deliveries.map((one) => places.get(one.trigger) ?? 0)),
    plainArray(deliveries.map((one) => one.status)),
    textArray(deliveries.map((one) => one.wholePayload)),
    textArray(deliveries.map((one) => one.deliveryId)),
    plainArray(deliveries.map((one) => one.duplicates)),
    textArray(deliveries.map((one) => one.traceparent)),
    `[${deliveries.map((one) => one.payload).join()}]`,
    sameSince,
  )
}

/** Old deliveries give up their ids when the ids come again. */
export const releaseDeliveries = async (db: Db, deliveries: readonly Delivery[], sameSince: string): Promise<void> => {
  await sql`
    update trigger_fires f set delivery_id = null
    from unnest(${deliveries.map((one) => one.trigger.id)}::text[], ${deliveries.map((one) => one.deliveryId)}::text[])
      as g (trigger_id, delivery_id)
    where f.trigger_id = g.trigger_id and f.delivery_id = g.delivery_id and f.created_at <= ${sameSince}::timestamptz`.execute(
    db,
  )
}

export const teamsWithFiresBefore = async (db: Db, before: string): Promise<string[]> => {
  const rows = await db
    .selectFrom('trigger_fires')
    .select('team_id')
    .distinct()
    .where('created_at', '<', before)
    .where('status', '<>', pending)
    .execute()
  return rows.map((row) => row.team_id)
}

export const deleteFiresBefore = async (db: Db, teamId: string, before: string, limit: number): Promise<number> => {
  const { numDeletedRows } = await db
    .deleteFrom('trigger_fires')
    .where('id', 'in', (where) =>
      where
        .selectFrom('trigger_fires')
        .select('id')
        .where('team_id', '=', teamId)
        .where('created_at', '<', before)
        .where('status', '<>', pending)
        .limit(limit),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** What a hook needs to know of its trigger, with a mark that changes with the secret's value. */
export const findHookTrigger = async (db: Db, id: string) => {
  const { rows } = await sql<{
    id: string
    team_id: string
    type: string
    enabled: boolean
    source_key: string | null
    config: Record<string, unknown>
    filters: unknown
    revision: number
    secret_stamp: string
  }>`
    select t.id, t.team_id, t.type, t.enabled, t.source_key, t.config, t.filters, t.revision,
      coalesce(s.id || ':' || s.version, '') as secret_stamp
    from triggers t
    left join secrets s on s.team_id = t.team_id and s.scope = 'team' and s.key = t.config ->> 'secret_ref'
      and s.deleted_at is null
    where t.id = ${id}`.execute(db)
  return rows[0]
}
