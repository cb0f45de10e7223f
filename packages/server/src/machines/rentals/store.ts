// SQL of rented machines. System tasks (the sweep) select by instance, users by workspace.
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import { columnsOf } from '#platform/db/spelled-columns.ts'

export type InstanceRow = Selectable<Database['instances']>

export const insertInstance = async (db: Db, row: Insertable<Database['instances']>): Promise<void> => {
  await db.insertInto('instances').values(row).execute()
}

export const findByEngine = (db: Db, engineId: string): Promise<InstanceRow | undefined> =>
  db.selectFrom('instances').selectAll().where('engine_id', '=', engineId).limit(1).executeTakeFirst()

export const lockByEngine = (db: Db, engineId: string): Promise<InstanceRow | undefined> =>
  db.selectFrom('instances').selectAll().where('engine_id', '=', engineId).limit(1).forUpdate().executeTakeFirst()

export const lockInstance = (db: Db, id: string): Promise<InstanceRow | undefined> =>
  db.selectFrom('instances').selectAll().where('id', '=', id).limit(1).forUpdate().executeTakeFirst()

export const updateInstance = async (db: Db, id: string, change: Updateable<Database['instances']>): Promise<void> => {
  await db.updateTable('instances').set(change).where('id', '=', id).execute()
}

/** Renews the lease of a launch; false if the launch was reverted meanwhile. */
export const renewLaunch = async (db: Db, id: string, until: string): Promise<boolean> => {
  const row = await db
    .updateTable('instances')
    .set({ launch_until: until })
    .where('id', '=', id)
    .where('status', '=', 'creating')
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Whether any machine needs the sweep: most installations rent none. */
export const rentedMachines = sql`select 1 from instances where status <> 'deleted'`

/** Launches whose lease has expired. */
export const listAbandoned = (db: Db, now: string) =>
  db
    .selectFrom('instances')
    .select('id')
    .where('status', '=', 'creating')
    .where('launch_until', '<=', now)
    .limit(100)
    .execute()

/** Expired rentals. */
export const listExpired = (db: Db, now: string) =>
  db
    .selectFrom('instances')
    .select(['id', 'engine_id'])
    .where('ended_at', 'is', null)
    .where('status', '<>', 'creating')
    .where('end_time', '<=', now)
    .limit(100)
    .execute()

/** Machines whose engine has never connected. */
export const listUnbooted = (db: Db, createdBefore: string) =>
  db
    .selectFrom('instances')
    .innerJoin('engines', 'engines.id', 'instances.engine_id')
    .select(['instances.id', 'instances.engine_id'])
    .where('instances.ended_at', 'is', null)
    .where('instances.status', '<>', 'creating')
    .where('engines.connection_number', '=', 0)
    .where('instances.created_at', '<=', createdBefore)
    .limit(100)
    .execute()

/** Machines whose engine has connected although the provider still reports them as pending. */
export const listBooted = (db: Db) =>
  db
    .selectFrom('instances')
    .innerJoin('engines', 'engines.id', 'instances.engine_id')
    .select(['instances.id', 'instances.engine_id'])
    .where('instances.ended_at', 'is', null)
    .where('instances.status', 'in', ['pending_provider', 'pending'])
    .where('engines.connected', '=', true)
    .limit(100)
    .execute()

/** Claims the machines that are due for a call of their provider; no other server claims them before `until`. */
export const claimDue = async (
  db: Db,
  { now, until, host, limit }: { now: string; until: string; host: string; limit: number },
): Promise<InstanceRow[]> => {
  const { rows } = await sql<InstanceRow>`
    update instances set next_look_at = ${until}::timestamptz
    where id in (
      select id from instances
      where status not in ('creating', 'deleted') and next_look_at <= ${now}::timestamptz and host in ('', ${host})
        and (launch_until is null or launch_until <= ${now}::timestamptz)
      order by next_look_at limit ${limit} for update skip locked)
    returning ${columnsOf('instances')}`.execute(db)
  return rows
}

export const listLiveOfTeam = (db: Db, teamId: string) =>
  db.selectFrom('instances').select('engine_id').where('team_id', '=', teamId).where('ended_at', 'is', null).execute()

export const listCreating = (db: Db, cloud: string) =>
  db.selectFrom('instances').select('id').where('cloud', '=', cloud).where('status', '=', 'creating').execute()

export const listLiveOfCloud = (db: Db, cloud: string) =>
  db.selectFrom('instances').select('engine_id').where('cloud', '=', cloud).where('ended_at', 'is', null).execute()

/** Without the confirmation of the provider. */
export const abandonOfCloud = async (db: Db, cloud: string, now: string): Promise<void> => {
  await db
    .updateTable('instances')
    .set({ status: 'deleted', removals_left: 0, updated_at: now, deleted_at: now })
    .where('cloud', '=', cloud)
    .where('status', '<>', 'deleted')
    .execute()
}

/** Deletes machines that were removed long ago. The ledger keeps the transactions. */
export const deleteRemovedBefore = async (db: Db, before: string, limit: number): Promise<void> => {
  await sql`delete from instances where id in (
    select id from instances where status = 'deleted' and deleted_at < ${before}::timestamptz limit ${limit})`.execute(
    db,
  )
}

/** Those of the ids that are known. */
export const findKnown = async (db: Db, ids: readonly string[]) =>
  db.selectFrom('instances').select(['id', 'status']).where('id', '=', sql<string>`any(${ids}::text[])`).execute()
