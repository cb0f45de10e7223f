// SQL behind authentication: everything about a credential and its bearer in one statement.
import type { Db } from '../db/database.ts'

/** The key whose present value, or whose rotated-out value within its grace, has this hash. */
export const findKey = (db: Db, tokenHash: Buffer, now: string) =>
  db
    .selectFrom('api_keys as k')
    .innerJoin('users as u', 'u.id', 'k.user_id')
    .innerJoin('teams as t', 't.id', 'k.team_id')
    .leftJoin('team_members as m', (join) =>
      join.onRef('m.team_id', '=', 'k.team_id').onRef('m.user_id', '=', 'k.user_id'),
    )
    .leftJoin('api_key_previous_values as p', (join) =>
      join.onRef('p.key_id', '=', 'k.id').on('p.token_hash', '=', tokenHash),
    )
    .select([
      'k.id',
      'k.scope',
      'k.scopes',
      'k.holds_engine_scopes',
      'k.user_id',
      'k.team_id',
      'k.expires_at',
      'k.last_used_at',
      'p.expires_at as previous_expires_at',
      'u.banned_at',
      'u.role as user_role',
      'm.role',
      't.org_id',
      't.type as team_type',
      't.status as team_status',
      't.is_platform',
    ])
    .where((where) =>
      where.or([
        where('k.token_hash', '=', tokenHash),
        where.and([where('p.token_hash', '=', tokenHash), where('p.expires_at', '>', now)]),
      ]),
    )
    .where('k.deleted_at', 'is', null)
    .where('t.deleted_at', 'is', null)
    .executeTakeFirst()

export const findSession = (db: Db, tokenHash: Buffer) =>
  db
    .selectFrom('auth_sessions as s')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .select([
      's.id',
      's.kind',
      's.user_id',
      's.team_id',
      's.scopes',
      's.elevated',
      's.csrf_token',
      's.expires_at',
      's.last_seen_at',
      'u.default_team_id',
      'u.role as user_role',
      'u.banned_at',
      'u.totp_confirmed_at',
    ])
    .where('s.token_hash', '=', tokenHash)
    .where('s.revoked_at', 'is', null)
    .where('u.deleted_at', 'is', null)
    .executeTakeFirst()

/** The workspace a session wants to act in, named by id, short id or username; undefined unless its user is a member. */
export const findMembership = (db: Db, userId: string, team: string) =>
  db
    .selectFrom('team_members as m')
    .innerJoin('teams as t', 't.id', 'm.team_id')
    .leftJoin('org_admins as o', (join) => join.onRef('o.org_id', '=', 't.org_id').onRef('o.user_id', '=', 'm.user_id'))
    .select(['m.role', 't.id', 't.type', 't.status', 't.org_id', 't.is_platform', 'o.user_id as org_admin'])
    .where('m.user_id', '=', userId)
    .where((where) =>
      where.or([
        where('t.id', '=', team),
        ...(team.length === 8 ? [where('t.id', 'like', `${team.replace(/[%_\\]/g, '')}%`)] : []),
        where('t.username', '=', team),
      ]),
    )
    .where('t.deleted_at', 'is', null)
    .executeTakeFirst()

export const touchKey = async (db: Db, id: string, now: string): Promise<void> => {
  await db.updateTable('api_keys').set({ last_used_at: now }).where('id', '=', id).execute()
}

export const touchSession = async (db: Db, id: string, now: string, expiresAt: string | null): Promise<void> => {
  await db
    .updateTable('auth_sessions')
    .set(expiresAt === null ? { last_seen_at: now } : { last_seen_at: now, expires_at: expiresAt })
    .where('id', '=', id)
    .execute()
}
