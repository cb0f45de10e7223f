// SQL of organizations and their admins.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'

const ownWorkspace = sql<string | null>`(select t.id from teams t
  where t.org_id = organizations.id and t.type = 'org' and t.deleted_at is null)`.as('team_id')

export type OrganizationRow = NonNullable<Awaited<ReturnType<typeof findOrganization>>>

export const organizationsQuery = (db: Db) =>
  db
    .selectFrom('organizations')
    .select([
      'organizations.id',
      'organizations.name',
      'organizations.created_at',
      'organizations.updated_at',
      'organizations.deleted_at',
      ownWorkspace,
    ])
    .where('organizations.deleted_at', 'is', null)

export const findOrganization = (db: Db, ref: string) =>
  organizationsQuery(db).where(idMatches('organizations.id', ref)).limit(1).executeTakeFirst()

export const insertOrganization = async (
  db: Db,
  organization: { id: string; name: string; created_at: string; updated_at: string },
): Promise<void> => {
  await db.insertInto('organizations').values(organization).execute()
}

export const listTeamsOfOrganization = (db: Db, orgId: string) =>
  db
    .selectFrom('teams')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

export const listOrgAdmins = (db: Db, orgId: string) =>
  db
    .selectFrom('org_admins as a')
    .innerJoin('users as u', 'u.id', 'a.user_id')
    .select(['a.user_id', 'a.created_at', 'u.email', 'u.name', 'u.full_name', 'u.avatar_url'])
    .where('a.org_id', '=', orgId)
    .orderBy('a.created_at')
    .orderBy('a.user_id')
    .execute()

export const findOrgAdmin = (db: Db, orgId: string, userRef: string) =>
  db
    .selectFrom('org_admins as a')
    .innerJoin('users as u', 'u.id', 'a.user_id')
    .select(['a.user_id', 'a.created_at', 'u.email', 'u.name', 'u.full_name', 'u.avatar_url'])
    .where('a.org_id', '=', orgId)
    .where(idMatches('a.user_id', userRef))
    .limit(1)
    .executeTakeFirst()

/** Undefined when the person is already an admin. */
export const insertOrgAdmin = (db: Db, admin: { org_id: string; user_id: string; created_at: string }) =>
  db
    .insertInto('org_admins')
    .values(admin)
    .onConflict((conflict) => conflict.columns(['org_id', 'user_id']).doNothing())
    .returning('user_id')
    .executeTakeFirst()

export const deleteOrgAdmin = async (db: Db, orgId: string, userId: string): Promise<void> => {
  await db.deleteFrom('org_admins').where('org_id', '=', orgId).where('user_id', '=', userId).execute()
}
