// SQL of users, teams and memberships for sign-in and the operator's commands.
import type { Insertable } from 'kysely'
import type { TeamRole } from '#platform/core/actor.ts'
import type { Db } from '#platform/db/database.ts'
import { shortRead } from '#platform/db/prepared.ts'
import type { Database } from '#platform/db/schema.gen.ts'

export const findUserByEmail = (db: Db, email: string) =>
  db
    .selectFrom('users')
    .selectAll()
    .where('email', '=', email)
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()

const usersOfId = shortRead((db, id: string) =>
  db.selectFrom('users').selectAll().where('id', '=', id).where('deleted_at', 'is', null).limit(1),
)

export const findUser = async (db: Db, id: string) => (await usersOfId(db, id))[0]

export const anyPersonExists = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('users').select('id').where('email', 'is not', null).limit(1).executeTakeFirst()) !== undefined

export const insertUser = (db: Db, user: Insertable<Database['users']>) =>
  db.insertInto('users').values(user).returningAll().executeTakeFirstOrThrow()

export const setDefaultTeam = async (db: Db, userId: string, teamId: string): Promise<void> => {
  await db.updateTable('users').set({ default_team_id: teamId }).where('id', '=', userId).execute()
}

export const setUserRole = async (db: Db, userId: string, role: 'user' | 'admin'): Promise<void> => {
  await db.updateTable('users').set({ role }).where('id', '=', userId).execute()
}

/** Undefined when the username is taken. */
export const insertTeam = (db: Db, team: Insertable<Database['teams']>) =>
  db
    .insertInto('teams')
    .values(team)
    .onConflict((conflict) => conflict.column('username').doNothing())
    .returningAll()
    .executeTakeFirst()

export const findTeam = (db: Db, id: string) =>
  db.selectFrom('teams').selectAll().where('id', '=', id).where('deleted_at', 'is', null).limit(1).executeTakeFirst()

export const findTeamByUsername = (db: Db, username: string) =>
  db
    .selectFrom('teams')
    .selectAll()
    .where('username', '=', username)
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()

/** Empty for a service account, which has no personal workspace. */
export const findPersonalTeamId = async (db: Db, userId: string): Promise<string> => {
  const team = await db
    .selectFrom('team_members as m')
    .innerJoin('teams as t', 't.id', 'm.team_id')
    .select('t.id')
    .where('m.user_id', '=', userId)
    .where('t.type', '=', 'personal')
    .limit(1)
    .executeTakeFirst()
  return team?.id ?? ''
}

export const selectPlatformTeam = (db: Db) =>
  db
    .selectFrom('teams')
    .innerJoin('team_members', 'team_members.team_id', 'teams.id')
    .select(['teams.id', 'team_members.user_id as owner_id'])
    .where('teams.is_platform', '=', true)
    .where('team_members.role', '=', 'owner')
    .limit(1)

export const findPlatformTeam = (db: Db) => selectPlatformTeam(db).limit(1).executeTakeFirst()

export const listTeamsOf = (db: Db, userId: string) =>
  db
    .selectFrom('teams as t')
    .innerJoin('team_members as m', 'm.team_id', 't.id')
    .select(['t.id', 't.type'])
    .where('m.user_id', '=', userId)
    .where('t.deleted_at', 'is', null)
    .execute()

export const findMembership = (db: Db, teamId: string, userId: string) =>
  db
    .selectFrom('team_members')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .limit(1)
    .executeTakeFirst()

export const upsertMember = (db: Db, member: { id: string; team_id: string; user_id: string; role: TeamRole }) =>
  db
    .insertInto('team_members')
    .values(member)
    .onConflict((conflict) => conflict.columns(['team_id', 'user_id']).doUpdateSet({ role: member.role }))
    .returningAll()
    .executeTakeFirstOrThrow()
