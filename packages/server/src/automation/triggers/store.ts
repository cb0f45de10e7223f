// SQL of triggers.
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import { expiryPrefix } from './expiry-name.ts'

export type TriggerRow = Selectable<Database['triggers']>
export type TriggerUpdate = Updateable<Database['triggers']>

export const insertTrigger = (db: Db, trigger: Insertable<Database['triggers']>): Promise<TriggerRow> =>
  db.insertInto('triggers').values(trigger).returningAll().executeTakeFirstOrThrow()

export const selectTriggers = (db: Db, teamId: string) =>
  db.selectFrom('triggers').selectAll('triggers').where('triggers.team_id', '=', teamId)

export const findTrigger = (db: Db, teamId: string, id: string): Promise<TriggerRow | undefined> =>
  db
    .selectFrom('triggers')
    .selectAll()
    .where('team_id', '=', teamId)
    .where(idMatches('triggers.id', id))
    .limit(1)
    .executeTakeFirst()

/** By full id, in any workspace. */
export const triggerExists = async (db: Db, id: string): Promise<boolean> =>
  (await db.selectFrom('triggers').select('id').where('id', '=', id).limit(1).executeTakeFirst()) !== undefined

export const findTriggersByIds = (db: Db, teamId: string, ids: readonly string[]): Promise<TriggerRow[]> =>
  db
    .selectFrom('triggers')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('id', 'in', [...ids])
    .execute()

export const lockTrigger = (db: Db, teamId: string, id: string): Promise<TriggerRow | undefined> =>
  db
    .selectFrom('triggers')
    .selectAll()
    .where('team_id', '=', teamId)
    .where(idMatches('triggers.id', id))
    .forUpdate()
    .limit(1)
    .executeTakeFirst()

export const updateTrigger = (db: Db, id: string, change: TriggerUpdate): Promise<TriggerRow> =>
  db
    .updateTable('triggers')
    .set({ ...change, revision: sql`revision + 1` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** Leaves `revision` unchanged: the settings that verify deliveries are the same. */
export const updateRefusal = async (db: Db, id: string, at: Date, refusal: string): Promise<void> => {
  await db
    .updateTable('triggers')
    .set({ last_refused_at: at.toISOString(), last_refusal: refusal })
    .where('id', '=', id)
    .execute()
}

export const deleteTrigger = async (db: Db, id: string): Promise<void> => {
  await db.deleteFrom('triggers').where('id', '=', id).execute()
}

/** Without expiry triggers, which users do not create. */
export const countTriggers = async (db: Db, teamId: string): Promise<number> => {
  const row = await db
    .selectFrom('triggers')
    .select(sql<number>`count(*)`.as('count'))
    .where('team_id', '=', teamId)
    .where(sql<boolean>`not (action = 'resolve_interrupt' and name = ${expiryPrefix} || interrupt_id)`)
    .executeTakeFirstOrThrow()
  return row.count
}

/** A trigger with the current state of its owner. */
export type OwnedTrigger = TriggerRow & {
  owner_role: 'owner' | 'admin' | 'member' | null
  owner_banned_at: string | null
  owner_deleted_at: string | null
  owner_service_team_id: string | null
  team_status: string
  team_deleted_at: string | null
  team_type: string
  org_id: string | null
  is_platform: boolean
}

export const findOwnedTriggers = (db: Db, ids: readonly string[]): Promise<OwnedTrigger[]> =>
  db
    .selectFrom('triggers')
    .innerJoin('users as u', 'u.id', 'triggers.user_id')
    .innerJoin('teams as t', 't.id', 'triggers.team_id')
    .leftJoin('team_members as m', (join) =>
      join.onRef('m.team_id', '=', 'triggers.team_id').onRef('m.user_id', '=', 'triggers.user_id'),
    )
    .selectAll('triggers')
    .select([
      'm.role as owner_role',
      'u.banned_at as owner_banned_at',
      'u.deleted_at as owner_deleted_at',
      'u.service_team_id as owner_service_team_id',
      't.status as team_status',
      't.deleted_at as team_deleted_at',
      't.type as team_type',
      't.org_id',
      't.is_platform',
    ])
    .where('triggers.id', 'in', [...ids])
    .execute()

export const dueTriggers = (db: Db, now: string) =>
  db.selectFrom('triggers').select('id').where('next_fire_at', '<=', now).orderBy('next_fire_at').limit(1)

/** Due triggers. Skips rows that another replica or an edit has locked. */
export const claimDueTriggers = (db: Db, now: string, limit: number): Promise<TriggerRow[]> =>
  db
    .selectFrom('triggers')
    .selectAll()
    .where('next_fire_at', '<=', now)
    .orderBy('next_fire_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()

export const setNextFire = async (db: Db, id: string, nextFireAt: string): Promise<void> => {
  await db.updateTable('triggers').set({ next_fire_at: nextFireAt }).where('id', '=', id).execute()
}

/** For a scheduled trigger that has fired, or a schedule that is no longer valid. */
export const endSchedule = async (db: Db, id: string, now: string): Promise<void> => {
  await db
    .updateTable('triggers')
    .set({ enabled: false, one_shot_done: true, next_fire_at: null, revision: sql`revision + 1`, updated_at: now })
    .where('id', '=', id)
    .execute()
}

export const earliestFire = async (db: Db): Promise<string | null> => {
  const row = await db
    .selectFrom('triggers')
    .select('next_fire_at')
    .where('next_fire_at', 'is not', null)
    .orderBy('next_fire_at')
    .limit(1)
    .executeTakeFirst()
  return row?.next_fire_at ?? null
}

/** Adds successful fires to several triggers. Locks them in a fixed order, so that two dispatchers cannot deadlock. */
export const countFires = async (db: Db, counts: ReadonlyMap<string, number>, now: string): Promise<void> => {
  const given = [...counts].map(([id, count]) => ({ id, count }))
  await sql`
    with locked as (
      select t.id, g.count from json_to_recordset(${JSON.stringify(given)}::json) as g (id text, count int)
      join triggers t on t.id = g.id order by t.id for update of t)
    update triggers set fire_count = fire_count + locked.count, last_fired_at = greatest(last_fired_at, ${now}::timestamptz)
    from locked where triggers.id = locked.id`.execute(db)
}

export const deleteTriggersNamed = async (db: Db, name: string, interruptId: string): Promise<void> => {
  await db.deleteFrom('triggers').where('interrupt_id', '=', interruptId).where('name', '=', name).execute()
}
