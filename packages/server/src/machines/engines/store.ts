// SQL of engines. Their workers, their presence and the sweep have their own stores.
import { taskStatus } from '@millrace/contract/task-status'
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { isOnEngine } from '#execution/tasks/service.ts'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import { teamOrg } from '#platform/tenancy/visibility.ts'

export type EngineRow = Selectable<Database['engines']>

export const findEngine = (db: Db, id: string): Promise<(EngineRow & { team_org_id: string | null }) | undefined> =>
  db
    .selectFrom('engines')
    .selectAll('engines')
    .select(teamOrg('engines'))
    .where(idMatches('engines.id', id))
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()

export const lockEngine = (db: Db, id: string): Promise<EngineRow | undefined> =>
  db
    .selectFrom('engines')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .limit(1)
    .executeTakeFirst()

export const insertEngine = async (db: Db, row: Insertable<Database['engines']>): Promise<void> => {
  await db.insertInto('engines').values(row).execute()
}

export const setStopReason = async (db: Db, id: string, reason: string): Promise<void> => {
  await db.updateTable('engines').set({ stop_reason: reason }).where('id', '=', id).execute()
}

/** Followers of an engine identify each change by its number. */
export const oneMoreEvent = { event_seq: sql<number>`event_seq + 1` }

export const changeEngine = async (
  db: Db,
  id: string,
  now: Date,
  change: Updateable<Database['engines']>,
): Promise<void> => {
  await db
    .updateTable('engines')
    .set({ ...change, updated_at: now.toISOString(), ...oneMoreEvent })
    .where('id', '=', id)
    .execute()
}

export const deleteEngine = async (db: Db, id: string, now: string): Promise<void> => {
  await db.updateTable('engines').set({ deleted_at: now }).where('id', '=', id).execute()
}

/** The workspace of an engine, even after its deletion. */
export const teamOfEngine = async (db: Db, id: string | null): Promise<string | undefined> => {
  const row = await db.selectFrom('engines').select('team_id').where('id', '=', id).limit(1).executeTakeFirst()
  return row?.team_id
}

/** Engines of all workspaces that may be reachable again soon. */
export const listPresent = (db: Db): Promise<EngineRow[]> =>
  db
    .selectFrom('engines')
    .selectAll()
    .where('deleted_at', 'is', null)
    .where('status', 'in', ['running', 'draining', 'disconnected', 'restarting'])
    .execute()

/** The function of a task with its schema. */
export const functionOfTask = (db: Db, taskId: string) =>
  db.selectFrom('tasks').select(['app_version_id', 'function']).where('id', '=', taskId).limit(1).executeTakeFirst()

/** Base query of the list. */
export const selectEngines = (db: Db) =>
  db.selectFrom('engines').selectAll('engines').where('engines.deleted_at', 'is', null)

/** An uploading task has left its worker and belongs only to the engine. */
export const liveTasksOf = (db: Db, where: { engineId: string } | { workerIds: readonly string[] }) => {
  const query = db
    .selectFrom('tasks')
    .select(['id', 'attempt', 'status', 'worker_id', 'engine_id', 'accepted_at', 'session_id'])
    .where(isOnEngine)
  return 'engineId' in where
    ? query.where('engine_id', '=', where.engineId).execute()
    : query
        .where('status', '<', taskStatus.uploading)
        .where('worker_id', '=', sql<string>`any(${where.workerIds}::text[])`)
        .execute()
}
