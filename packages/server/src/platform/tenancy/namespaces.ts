// A namespace belongs to one workspace. Published resources keep their namespace when the workspace is renamed. The old
// name then stays reserved, so that resources of different workspaces never share a namespace.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

/**
 * Whether another workspace has published resources under the name. Pass '' for a workspace that does not exist yet.
 */
export const isNamespaceOfOthers = async (db: Db, namespace: string, teamId: string): Promise<boolean> => {
  const { rows } = await sql<{ held: boolean }>`
    select exists (select from apps where namespace = ${namespace} and team_id <> ${teamId} and deleted_at is null)
      or exists (select from agents where namespace = ${namespace} and team_id <> ${teamId} and deleted_at is null)
      or exists (select from flows where namespace = ${namespace} and team_id <> ${teamId})
      or exists (select from knowledge where namespace = ${namespace} and team_id <> ${teamId} and deleted_at is null)
      or exists (select from artifacts where namespace = ${namespace} and team_id <> ${teamId} and deleted_at is null)
      as held`.execute(db)
  return rows[0]?.held === true
}
