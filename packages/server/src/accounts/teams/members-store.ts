// SQL of memberships.
import type { TeamRole } from '#platform/core/actor.ts'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'

const memberColumns = ['m.id', 'm.user_id', 'm.team_id', 'm.role'] as const
const personColumns = ['u.email', 'u.name', 'u.full_name', 'u.avatar_url'] as const

export type MemberRow = Awaited<ReturnType<typeof listMembers>>[number]

export const listMembers = (db: Db, teamId: string) =>
  db
    .selectFrom('team_members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select([...memberColumns, ...personColumns])
    .where('m.team_id', '=', teamId)
    .orderBy('m.created_at')
    .orderBy('m.id')
    .execute()

export const findMember = (db: Db, teamId: string, userRef: string) =>
  db
    .selectFrom('team_members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select([...memberColumns, ...personColumns])
    .where('m.team_id', '=', teamId)
    .where(idMatches('m.user_id', userRef))
    .limit(1)
    .executeTakeFirst()

export const countMembers = async (db: Db, teamId: string): Promise<{ members: number; owners: number }> =>
  db
    .selectFrom('team_members')
    .select((select) => [
      select.fn.countAll<number>().as('members'),
      select.fn.countAll<number>().filterWhere('role', '=', 'owner').as('owners'),
    ])
    .where('team_id', '=', teamId)
    .executeTakeFirstOrThrow()

/** Undefined when the person is already a member. */
export const insertMember = (
  db: Db,
  member: { id: string; team_id: string; user_id: string; role: TeamRole; created_at: string; updated_at: string },
) =>
  db
    .insertInto('team_members')
    .values(member)
    .onConflict((conflict) => conflict.columns(['team_id', 'user_id']).doNothing())
    .returning('id')
    .executeTakeFirst()

export const updateMemberRole = async (db: Db, id: string, role: TeamRole, now: string): Promise<void> => {
  await db.updateTable('team_members').set({ role, updated_at: now }).where('id', '=', id).execute()
}

export const deleteMember = async (db: Db, teamId: string, userId: string): Promise<void> => {
  await db.deleteFrom('team_members').where('team_id', '=', teamId).where('user_id', '=', userId).execute()
}

/** All accounts of a mailbox: the exact address first, then the oldest account. */
export const listPeopleOfMailbox = (db: Db, teamId: string, mailbox: string, email: string) =>
  db
    .selectFrom('users as u')
    .leftJoin('team_members as m', (join) => join.onRef('m.user_id', '=', 'u.id').on('m.team_id', '=', teamId))
    .select(['u.id', 'm.id as member_id'])
    .where('u.mailbox', '=', mailbox)
    .where('u.deleted_at', 'is', null)
    .orderBy((order) => order('u.email', '=', email), 'desc')
    .orderBy('u.created_at')
    .execute()
