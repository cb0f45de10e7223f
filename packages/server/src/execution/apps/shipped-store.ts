// SQL of the shipped apps in the platform's workspace.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'

export const countPlatformApps = async (db: Db, names: readonly string[]): Promise<number> => {
  const { count } = await db
    .selectFrom('apps')
    .innerJoin('teams', 'teams.id', 'apps.team_id')
    .select(sql<number>`count(*)`.as('count'))
    .where('teams.is_platform', '=', true)
    .where('apps.name', 'in', [...names])
    .executeTakeFirstOrThrow()
  return count
}
