// SQL of workspaces and of people's profiles.
import { sql, type Updateable } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import { isDuplicate } from '#platform/db/violations.ts'

export type TeamRow = NonNullable<Awaited<ReturnType<typeof findTeam>>>

export const findTeam = (db: Db, id: string) =>
  db.selectFrom('teams').selectAll().where('id', '=', id).where('deleted_at', 'is', null).limit(1).executeTakeFirst()

export const findTeamByRef = (db: Db, ref: string) =>
  db
    .selectFrom('teams')
    .selectAll()
    .where(idMatches('teams.id', ref))
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()

/** A workspace with the role of one person. Of several with the same short id, the one that the person belongs to. */
export const findTeamAccess = (db: Db, ref: string, userId: string) =>
  db
    .selectFrom('teams as t')
    .leftJoin('team_members as m', (join) => join.onRef('m.team_id', '=', 't.id').on('m.user_id', '=', userId))
    .leftJoin('org_admins as a', (join) => join.onRef('a.org_id', '=', 't.org_id').on('a.user_id', '=', userId))
    .selectAll('t')
    .select(['m.role as member_role', 'a.user_id as org_admin'])
    .where(idMatches('t.id', ref))
    .where('t.deleted_at', 'is', null)
    .orderBy(sql`m.user_id is null`)
    .limit(1)
    .executeTakeFirst()

/** Changes of one workspace wait for each other; rows that refer to it do not. */
export const lockTeam = (db: Db, id: string) =>
  db.selectFrom('teams').select('id').where('id', '=', id).forNoKeyUpdate().execute()

export const listTeamsOfUser = (db: Db, userId: string) =>
  db
    .selectFrom('teams as t')
    .innerJoin('team_members as m', 'm.team_id', 't.id')
    .selectAll('t')
    .select('m.role as member_role')
    .where('m.user_id', '=', userId)
    .where('t.deleted_at', 'is', null)
    .orderBy('t.created_at')
    .orderBy('t.id')
    .execute()

/** Undefined when the new username is taken. */
export const updateTeam = (db: Db, id: string, change: Updateable<Database['teams']>) =>
  db
    .updateTable('teams')
    .set(change)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => {
      if (isDuplicate(error, 'teams_username')) return undefined
      throw error
    })

/** Archived workspaces keep their name, so that old references never lead to another workspace. */
export const isUsernameTaken = async (db: Db, username: string): Promise<boolean> =>
  (await db.selectFrom('teams').select('id').where('username', '=', username).limit(1).executeTakeFirst()) !== undefined

export const findOrganization = (db: Db, id: string) =>
  db
    .selectFrom('organizations')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()

/** The organization's own workspace. */
export const findOrgWorkspace = (db: Db, orgId: string) =>
  db
    .selectFrom('teams')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('type', '=', 'org')
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()

export const findUser = (db: Db, id: string) =>
  db.selectFrom('users').selectAll().where('id', '=', id).where('deleted_at', 'is', null).limit(1).executeTakeFirst()

export const updateUser = (db: Db, id: string, change: Updateable<Database['users']>) =>
  db
    .updateTable('users')
    .set(change)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirstOrThrow()

/** Resets the default of people whose default is this workspace; `userId` null means everyone. */
export const resetDefaultTeam = async (db: Db, teamId: string, userId: string | null): Promise<void> => {
  const personal = sql<string>`(select t.id from teams t join team_members m on m.team_id = t.id
    where m.user_id = users.id and t.type = 'personal' and t.deleted_at is null limit 1)`
  await db
    .updateTable('users')
    .set({ default_team_id: personal })
    .where('default_team_id', '=', teamId)
    .$if(userId !== null, (query) => query.where('id', '=', userId))
    .execute()
}
