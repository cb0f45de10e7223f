// Workspaces as rows that name one refer to them: by id, by namespace, or as one of their members.
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

/** A workspace as one of its members names it; undefined for everyone else. */
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
