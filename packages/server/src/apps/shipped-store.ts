// SQL of what ships: the platform's workspace and the apps in it.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

/** Undefined until the first account is made. */
export const findPlatformTeam = (db: Db) =>
  db
    .selectFrom('teams')
    .innerJoin('team_members', 'team_members.team_id', 'teams.id')
    .select(['teams.id', 'team_members.user_id as owner_id'])
    .where('teams.is_platform', '=', true)
    .where('team_members.role', '=', 'owner')
    .limit(1)
    .executeTakeFirst()

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
