// A namespace is one workspace's. What is published keeps the namespace it was published under, also when its workspace
// chooses another name: then nobody else gets that name, or their things would stand beside a stranger's as if they were one's own.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

/** Whether something of another workspace than this one is published under the name; '' is a workspace that is yet to be. */
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
