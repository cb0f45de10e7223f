// SQL of authentication: one statement reads everything about a credential and its owner.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'

export const selectKey = (db: Db, tokenHash: Buffer, now: string) =>
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
      'k.source',
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
      't.username as team_username',
      't.status as team_status',
      't.is_platform',
    ])
    // Each half uses an index; combined with `or`, they would scan all keys.
    .where('k.id', 'in', (keys) =>
      keys
        .selectFrom('api_keys')
        .select('id')
        .where('token_hash', '=', tokenHash)
        .unionAll(
          keys
            .selectFrom('api_key_previous_values')
            .select('key_id as id')
            .where('token_hash', '=', tokenHash)
            .where('expires_at', '>', now),
        ),
    )
    .where('k.deleted_at', 'is', null)
    .where('u.deleted_at', 'is', null)
    .where('t.deleted_at', 'is', null)

/** The key whose current value, or previous value within its grace period, has this hash. */
export const findKey = (db: Db, tokenHash: Buffer, now: string) =>
  selectKey(db, tokenHash, now).limit(1).executeTakeFirst()

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
    .limit(1)
    .executeTakeFirst()

export type SessionRow = NonNullable<Awaited<ReturnType<typeof findSession>>>

const memberships = (db: Db, userId: string) =>
  db
    .selectFrom('team_members as m')
    .innerJoin('teams as t', 't.id', 'm.team_id')
    .leftJoin('org_admins as o', (join) => join.onRef('o.org_id', '=', 't.org_id').onRef('o.user_id', '=', 'm.user_id'))
    .select(['m.role', 't.id', 't.type', 't.status', 't.org_id', 't.is_platform', 'o.user_id as org_admin'])
    .where('m.user_id', '=', userId)
    .where('t.deleted_at', 'is', null)

/** The workspace that a session requests, by id, username or short id; undefined unless its user is a member. */
export const findMembership = (db: Db, userId: string, team: string) =>
  memberships(db, userId)
    .where((where) => where.or([idMatches('t.id', team), where('t.username', '=', team)]))
    // A username can look like the short id of another workspace, so the full id wins.
    .orderBy(sql`t.id = ${team}`, 'desc')
    .orderBy(sql`t.username = ${team}`, 'desc')
    .limit(1)
    .executeTakeFirst()

export const findPersonalTeam = (db: Db, userId: string) =>
  memberships(db, userId).where('t.type', '=', 'personal').limit(1).executeTakeFirst()

/** Records the use, unless another server recorded a recent one. */
export const touchKey = async (db: Db, id: string, now: Date, debounceMs: number): Promise<void> => {
  const before = new Date(now.getTime() - debounceMs).toISOString()
  await db
    .updateTable('api_keys')
    .set({ last_used_at: now.toISOString() })
    .where('id', '=', id)
    .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<=', before)]))
    .execute()
}

export const touchSession = async (db: Db, id: string, now: Date, expiresAtMs: number | null): Promise<void> => {
  const slid = expiresAtMs === null ? {} : { expires_at: new Date(expiresAtMs).toISOString() }
  await db
    .updateTable('auth_sessions')
    .set({ last_seen_at: now.toISOString(), ...slid })
    .where('id', '=', id)
    .execute()
}
