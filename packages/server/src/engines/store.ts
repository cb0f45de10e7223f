// SQL of engines and their workers.
import { taskStatus } from '@millrace/contract/task-status'
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { idMatches } from '../db/ids.ts'
import type { Database } from '../db/schema.gen.ts'
import { teamOrg } from '../db/visibility.ts'
import { isOnEngine } from '../tasks/service.ts'

export type EngineRow = Selectable<Database['engines']>
export type WorkerRow = Selectable<Database['workers']>

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

export const touchEngine = async (db: Db, id: string, now: string): Promise<void> => {
  await db.updateTable('engines').set({ updated_at: now, event_seq: sql`event_seq + 1` }).where('id', '=', id).execute()
}

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

export const retireWorkers = async (db: Db, workerIds: readonly string[], now: string): Promise<void> => {
  await db
    .updateTable('workers')
    .set({ status: 'inactive', task_id: null, active_session_id: null, warm_apps: [], updated_at: now })
    .where('id', '=', sql<string>`any(${workerIds}::text[])`)
    .execute()
}

/** A task that is uploading has left its worker and follows the engine alone. */
export const liveTasksOf = (db: Db, where: { engineId: string } | { workerIds: readonly string[] }) => {
  const query = db
    .selectFrom('tasks')
    .select(['id', 'attempt', 'status', 'worker_id', 'engine_id', 'accepted_at'])
    .where(isOnEngine)
  return 'engineId' in where
    ? query.where('engine_id', '=', where.engineId).execute()
    : query
        .where('status', '<', taskStatus.uploading)
        .where('worker_id', '=', sql<string>`any(${where.workerIds}::text[])`)
        .execute()
}
