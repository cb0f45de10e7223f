// SQL of sign-in sessions. Every predicate contains the owner, so nobody can reach another person's sessions.
import type { Insertable } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import type { Database } from '#platform/db/schema.gen.ts'

export const insertSession = async (db: Db, session: Insertable<Database['auth_sessions']>): Promise<void> => {
  await db.insertInto('auth_sessions').values(session).execute()
}

export const listLiveSessions = (db: Db, userId: string, now: string) =>
  db
    .selectFrom('auth_sessions')
    .select([
      'id',
      'created_at',
      'expires_at',
      'ip',
      'city',
      'region',
      'country_code',
      'user_agent',
      'auth_method',
      'scopes',
    ])
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()

export type SessionRow = Awaited<ReturnType<typeof listLiveSessions>>[number]

export const findSession = (db: Db, userId: string, id: string) =>
  db
    .selectFrom('auth_sessions')
    .select(['id', 'scopes', 'parent_session_id', 'expires_at'])
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .limit(1)
    .executeTakeFirst()

/** A live session by its full or short id. */
export const findLiveSession = (db: Db, userId: string, ref: string, now: string) =>
  db
    .selectFrom('auth_sessions')
    .select('id')
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .where(idMatches('auth_sessions.id', ref))
    .limit(1)
    .executeTakeFirst()

/** Revokes a session and the tokens created from it; returns the ids of all. */
export const revokeSession = async (db: Db, userId: string, id: string, now: string): Promise<string[]> =>
  (
    await db
      .updateTable('auth_sessions')
      .set({ revoked_at: now })
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .where((where) => where.or([where('id', '=', id), where('parent_session_id', '=', id)]))
      .returning('id')
      .execute()
  ).map((row) => row.id)

export const revokeOtherSessions = async (db: Db, userId: string, exceptId: string, now: string): Promise<string[]> =>
  (
    await db
      .updateTable('auth_sessions')
      .set({ revoked_at: now })
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .where('id', '<>', exceptId)
      .returning('id')
      .execute()
  ).map((row) => row.id)

export const elevateSession = async (db: Db, userId: string, id: string): Promise<void> => {
  await db
    .updateTable('auth_sessions')
    .set({ elevated: true })
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .execute()
}

export const lowerBrowserSessions = async (db: Db, userId: string): Promise<void> => {
  await db
    .updateTable('auth_sessions')
    .set({ elevated: false })
    .where('user_id', '=', userId)
    .where('kind', '=', 'browser')
    .execute()
}

/** Deletes sessions that expired or were revoked before this time. */
export const deleteEndedSessions = async (db: Db, before: string): Promise<void> => {
  await db
    .deleteFrom('auth_sessions')
    .where((where) => where.or([where('expires_at', '<', before), where('revoked_at', '<', before)]))
    .execute()
}
