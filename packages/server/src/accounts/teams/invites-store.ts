// SQL of invites with their inviter and workspace.
import { type Insertable, sql } from 'kysely'
import type { TeamRole } from '#platform/core/actor.ts'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import type { Database } from '#platform/db/schema.gen.ts'

export type InviteRow = Awaited<ReturnType<typeof listInvites>>[number]

const invitesWithContext = (db: Db) =>
  db
    .selectFrom('invites as i')
    .innerJoin('teams as t', 't.id', 'i.team_id')
    .innerJoin('users as u', 'u.id', 'i.invited_by')
    .leftJoin('organizations as o', 'o.id', 't.org_id')
    .select([
      'i.id',
      'i.team_id',
      'i.email',
      'i.mailbox',
      'i.role',
      'i.status',
      'i.token_hash',
      'i.expires_at',
      'i.created_at',
      'i.invited_by',
      'u.email as inviter_email',
      'u.name as inviter_name',
      'u.full_name as inviter_full_name',
      'u.avatar_url as inviter_avatar_url',
      't.type as team_type',
      't.name as team_name',
      't.username as team_username',
      't.avatar_url as team_avatar_url',
      't.setup_completed as team_setup_completed',
      't.created_at as team_created_at',
      't.updated_at as team_updated_at',
      'o.name as org_name',
    ])
    .where('t.deleted_at', 'is', null)

const historyShown = 1000

export const listInvites = (db: Db, teamId: string) =>
  invitesWithContext(db)
    .where('i.team_id', '=', teamId)
    .orderBy('i.created_at', 'desc')
    .orderBy('i.id', 'desc')
    .limit(historyShown)
    .execute()

export const listPendingInvitesOfMailbox = (db: Db, mailbox: string, now: string) =>
  invitesWithContext(db)
    .where('i.mailbox', '=', mailbox)
    .where('i.status', '=', 'pending')
    .where('i.expires_at', '>', now)
    .orderBy('i.created_at', 'desc')
    .orderBy('i.id', 'desc')
    .execute()

export const findInvite = (db: Db, ref: string) =>
  invitesWithContext(db).where(idMatches('i.id', ref)).limit(1).executeTakeFirst()

export const findInviteOfTeam = (db: Db, teamId: string, ref: string) =>
  invitesWithContext(db).where('i.team_id', '=', teamId).where(idMatches('i.id', ref)).limit(1).executeTakeFirst()

export const findInviteByToken = (db: Db, tokenHash: Buffer) =>
  invitesWithContext(db).where('i.token_hash', '=', tokenHash).limit(1).executeTakeFirst()

export const findPendingInvite = (db: Db, teamId: string, mailbox: string) =>
  db
    .selectFrom('invites')
    .select(['id', 'role'])
    .where('team_id', '=', teamId)
    .where('mailbox', '=', mailbox)
    .where('status', '=', 'pending')
    .limit(1)
    .executeTakeFirst()

export const countPendingInvites = async (db: Db, teamId: string, now: string): Promise<number> => {
  const { count } = await db
    .selectFrom('invites')
    .select(sql<number>`count(*)`.as('count'))
    .where('team_id', '=', teamId)
    .where('status', '=', 'pending')
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  return count
}

export const insertInvite = async (db: Db, invite: Insertable<Database['invites']>): Promise<void> => {
  await db.insertInto('invites').values(invite).execute()
}

export const renewInvite = async (
  db: Db,
  id: string,
  change: {
    email: string
    role: TeamRole
    token_hash: Buffer
    invited_by: string
    expires_at: string
    updated_at: string
  },
): Promise<void> => {
  await db.updateTable('invites').set(change).where('id', '=', id).where('status', '=', 'pending').execute()
}

/** Marks pending rows as expired. */
export const expireInvites = async (db: Db, teamId: string, now: string): Promise<void> => {
  await db
    .updateTable('invites')
    .set({ status: 'expired', updated_at: now })
    .where('team_id', '=', teamId)
    .where('status', '=', 'pending')
    .where('expires_at', '<=', now)
    .execute()
}

/** Answers an invite exactly once: undefined when it was answered or expired. */
export const settleInvite = (db: Db, id: string, status: 'accepted' | 'declined' | 'revoked', now: string) =>
  db
    .updateTable('invites')
    .set({ status, updated_at: now })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('expires_at', '>', now)
    .returning('id')
    .executeTakeFirst()

/** Invites of one inviter that promise one of these roles. */
export const revokeInvitesOf = (db: Db, teamId: string, invitedBy: string, roles: readonly TeamRole[], now: string) =>
  db
    .updateTable('invites')
    .set({ status: 'revoked', updated_at: now })
    .where('team_id', '=', teamId)
    .where('invited_by', '=', invitedBy)
    .where('role', 'in', [...roles])
    .where('status', '=', 'pending')
    .returning('id')
    .execute()

export const revokePendingInvites = async (db: Db, teamId: string, now: string): Promise<void> => {
  await db
    .updateTable('invites')
    .set({ status: 'revoked', updated_at: now })
    .where('team_id', '=', teamId)
    .where('status', '=', 'pending')
    .execute()
}
