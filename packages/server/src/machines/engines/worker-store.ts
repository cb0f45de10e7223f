// SQL of the workers of engines.
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import type { Database } from '#platform/db/schema.gen.ts'

export type WorkerRow = Selectable<Database['workers']>

export const workersOf = (db: Db, engineIds: readonly string[]): Promise<WorkerRow[]> =>
  engineIds.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('workers')
        .selectAll()
        .where('engine_id', '=', sql<string>`any(${engineIds}::text[])`)
        .where('deleted_at', 'is', null)
        .orderBy('index')
        .execute()

/** Writes a worker as registered, new or existing. */
export const putWorker = async (
  db: Db,
  identity: Pick<Insertable<Database['workers']>, 'id' | 'engine_id' | 'user_id' | 'team_id' | 'index' | 'created_at'>,
  values: Omit<Insertable<Database['workers']>, keyof typeof identity>,
): Promise<void> => {
  await db
    .insertInto('workers')
    .values({ ...identity, ...values })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
    .execute()
}

export const retireWorkers = async (db: Db, workerIds: readonly string[], now: string): Promise<void> => {
  await db
    .updateTable('workers')
    .set({ status: 'inactive', task_id: null, active_session_id: null, warm_apps: [], updated_at: now })
    .where('id', '=', sql<string>`any(${workerIds}::text[])`)
    .execute()
}

export const deleteWorkers = async (db: Db, workerIds: readonly string[], now: string): Promise<void> => {
  await db.updateTable('workers').set({ deleted_at: now }).where('id', 'in', workerIds).execute()
}

export const deleteWorkersOf = async (db: Db, engineId: string, now: string): Promise<void> => {
  await db.updateTable('workers').set({ deleted_at: now }).where('engine_id', '=', engineId).execute()
}

export const transferWorkersOf = async (db: Db, engineId: string, teamId: string): Promise<void> => {
  await db.updateTable('workers').set({ team_id: teamId }).where('engine_id', '=', engineId).execute()
}

/** Workers without a task are idle; the others are updated by their first heartbeat. */
export const resetWorkersOf = async (db: Db, engineId: string, now: string): Promise<void> => {
  await db
    .updateTable('workers')
    .set({
      status: sql`case when task_id is null then 'idle' else 'busy' end`,
      last_seen_at: now,
      idle_since: now,
      updated_at: now,
    })
    .where('engine_id', '=', engineId)
    .where('deleted_at', 'is', null)
    .execute()
}

/**
 * Whether a worker became idle by this report. A worker reported as idle is released only if it has no task, because an
 * assignment may be in transit. A worker reported as busy stays idle if it became idle after the report was sent. Rows
 * are locked in a fixed order, so that two concurrent reports cannot deadlock.
 */
export const followStatuses = async (
  db: Db,
  engineId: string,
  reported: readonly (readonly [id: string, status: 'idle' | 'busy' | 'inactive'])[],
  now: string,
): Promise<boolean> => {
  const { rows } = await sql<{ freed: boolean }>`
    with before as materialized (
      select id, status from workers where engine_id = ${engineId} and deleted_at is null order by id for update)
    update workers set last_seen_at = ${now}::timestamptz,
      status = case when workers.task_id is null and workers.status <> 'reserved' and r.status = 'idle' then 'idle'
                    when workers.task_id is null and r.status <> 'idle'
                      and coalesce(workers.idle_since < ${now}::timestamptz, true) then r.status else workers.status end,
      idle_since = case when workers.status = 'idle' then workers.idle_since else ${now}::timestamptz end
    from unnest(${reported.map(([id]) => id)}::text[], ${reported.map(([, status]) => status)}::text[]) as r (id, status)
      join before on before.id = r.id
    where workers.id = r.id and workers.engine_id = ${engineId} and workers.deleted_at is null
    returning (workers.status = 'idle' and before.status <> 'idle') as freed`.execute(db)
  return rows.some((row) => row.freed)
}

export const setWorkerTelemetry = async (
  db: Db,
  engineId: string,
  { id, ...facts }: { id: string; last_seen_at: string; warm_apps: string[]; system_info?: string },
): Promise<void> => {
  await db.updateTable('workers').set(facts).where('id', '=', id).where('engine_id', '=', engineId).execute()
}
