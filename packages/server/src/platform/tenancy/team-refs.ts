// References to workspaces: by id, by namespace, or as a member.
import type { Db } from '../db/database.ts'
import { idMatches } from '../db/ids.ts'

export type TeamRef = { id: string; username: string }

export const findTeam = (db: Db, id: string): Promise<TeamRef | undefined> =>
  db
    .selectFrom('teams')
    .select(['id', 'username'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()

export const findTeamByUsername = (db: Db, username: string): Promise<TeamRef | undefined> =>
  db
    .selectFrom('teams')
    .select(['id', 'username'])
    .where('username', '=', username)
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()

/** The workspace if the user is a member, otherwise undefined. */
export const findTeamOfMember = (db: Db, id: string, userId: string): Promise<TeamRef | undefined> =>
  db
    .selectFrom('teams')
    .innerJoin('team_members', 'team_members.team_id', 'teams.id')
    .select(['teams.id', 'teams.username'])
    .where(idMatches('teams.id', id))
    .where('team_members.user_id', '=', userId)
    .where('teams.deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
