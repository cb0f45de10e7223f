// SQL that finds the engines and workers available to a run.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { workerNumber } from '../dispatch/service.ts'

/** The workspace's own engines and those that serve all workspaces. */
export const listUsableEngines = (db: Db, teamId: string) =>
  db
    .selectFrom('engines')
    .select(['id', 'name', 'infra', 'team_id', 'user_id', 'visibility'])
    .where('deleted_at', 'is', null)
    .where('status', '<>', 'stopped')
    .where((where) => where.or([where('infra', '=', 'cloud'), where('team_id', '=', teamId)]))
    .execute()

/** With the parts of a worker's label. */
export const listNamedWorkers = async (db: Db, engineIds: readonly string[]) => {
  const { rows } = await sql<{ id: string; gpu_count: number; name: string; number: number }>`
    select w.id, w.gpu_count, e.name, ${workerNumber} as number from workers w join engines e on e.id = w.engine_id
    where w.engine_id = any(${engineIds}::text[]) and w.deleted_at is null`.execute(db)
  return rows
}
