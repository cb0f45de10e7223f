// SQL of fires: the log, and the detection of duplicate deliveries.
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

/** A literal instead of a parameter: only then the planner can use the partial indexes, which exclude this status. */
const pending = sql.lit('pending' as const)

/** Fires are shown once their dispatch has ended. */
export const selectFires = (db: Db, teamId: string) =>
  db
    .selectFrom('trigger_fires')
    .select(columns.map((name) => `trigger_fires.${name}` as const))
    .where('trigger_fires.team_id', '=', teamId)
    .where('trigger_fires.status', '<>', pending)

export const findFire = (db: Db, teamId: string, id: string): Promise<FireRow | undefined> =>
  selectFires(db, teamId)
    .where('id', '>=', id)
    // The primary key is in byte order: ids with this prefix sort before `~`.
    .where('id', '<=', isShortId(id) ? `${id}~` : id)
    .limit(1)
    .executeTakeFirst()

/** A new row; payloads are JSON text. */
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

/** The state of a trigger when its delivery was verified. */
export type KnownTrigger = {
  readonly id: string
  readonly revision: number
  /** Changes with the value of the secret; empty without one. */
  readonly secretStamp: string
}

export type NewDelivery = {
  readonly id: string
  readonly trigger: KnownTrigger
  readonly status: 'pending' | 'filtered'
  /** JSON text. */
  readonly payload: string
  readonly wholePayload: string | null
  readonly deliveryId: string | null
  /** Number of concurrent deliveries with the same id. */
  readonly duplicates: number
  /** The trace that the sender named; empty without one. */
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
 * Inserts deliveries whose triggers are unchanged since the verification: enabled, with the same settings and secret.
 * Counts duplicates on the first delivery. Deliveries that are missing in the result were not written. The input must
 * not contain duplicates and must be sorted in the same order on all replicas, so that two batches cannot deadlock.
 * Payloads are sent as one JSON array, because elements of an SQL array would need escaping.
 */
export const insertDeliveries = (
  db: Db,
  deliveries: readonly NewDelivery[],
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

/** Clears the ids of expired deliveries, so that the ids can be used again. */
export const releaseDeliveries = async (
  db: Db,
  deliveries: readonly NewDelivery[],
  sameSince: string,
): Promise<void> => {
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

/** The fields of a trigger that webhooks need, with a stamp that changes with the secret's value. */
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
