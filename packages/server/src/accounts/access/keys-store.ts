// SQL of API keys. Expired keys are invisible even before the cleanup deletes them.
import { type Insertable, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import type { Database } from '#platform/db/schema.gen.ts'

export const keysOfTeam = (db: Db, teamId: string, now: string) =>
  db
    .selectFrom('api_keys')
    .innerJoin('users', 'users.id', 'api_keys.created_by')
    .select([
      'api_keys.id',
      'api_keys.team_id',
      'api_keys.user_id',
      'api_keys.created_by',
      'api_keys.name',
      'api_keys.scope',
      'api_keys.scopes',
      'api_keys.holds_engine_scopes',
      'api_keys.last_four',
      'api_keys.source',
      'api_keys.last_used_at',
      'api_keys.expires_at',
      'api_keys.created_at',
      'api_keys.updated_at',
      'api_keys.deleted_at',
      'users.name as creator_name',
      'users.full_name as creator_full_name',
      'users.email as creator_email',
      'users.avatar_url as creator_avatar_url',
    ])
    .where('api_keys.team_id', '=', teamId)
    .where('api_keys.deleted_at', 'is', null)
    .where((where) => where.or([where('api_keys.expires_at', 'is', null), where('api_keys.expires_at', '>', now)]))

export type KeyRow = Awaited<ReturnType<typeof lockKey>> & object

/** By full or short id; locked until the transaction ends. */
export const lockKey = (db: Db, teamId: string, id: string, now: string) =>
  keysOfTeam(db, teamId, now).where(idMatches('api_keys.id', id)).forUpdate('api_keys').limit(1).executeTakeFirst()

export const findKeyById = (db: Db, teamId: string, id: string, now: string) =>
  keysOfTeam(db, teamId, now).where('api_keys.id', '=', id).limit(1).executeTakeFirstOrThrow()

export const countKeys = async (db: Db, teamId: string, now: Date): Promise<number> => {
  const { count } = await db
    .selectFrom('api_keys')
    .select(sql<number>`count(*)`.as('count'))
    .where('team_id', '=', teamId)
    .where('deleted_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now.toISOString())]))
    // Engine credentials are created by the platform and are not listed.
    .where('source', 'not like', 'engine:%')
    .executeTakeFirstOrThrow()
  return count
}

export const insertKey = (db: Db, key: Insertable<Database['api_keys']>) =>
  db.insertInto('api_keys').values(key).returningAll().executeTakeFirstOrThrow()

/** The rights of a key as an engine. */
export const findEngineKey = (db: Db, teamId: string, id: string) =>
  db
    .selectFrom('api_keys')
    .select(['source', 'engine_id', 'serves_all'])
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .limit(1)
    .executeTakeFirst()

export const bindKeyToEngine = async (db: Db, teamId: string, id: string, engineId: string): Promise<void> => {
  await db
    .updateTable('api_keys')
    .set({ engine_id: engineId })
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .execute()
}

export const deleteKey = async (db: Db, id: string, now: string): Promise<void> => {
  await db.updateTable('api_keys').set({ deleted_at: now, updated_at: now }).where('id', '=', id).execute()
}

export const deletePersonalKeys = (db: Db, teamId: string, userId: string, now: string) =>
  deleteKeysOf(db, teamId, now).where('created_by', '=', userId).where('scope', '=', 'user').execute()

export const deleteKeysOfTeam = (db: Db, teamId: string, now: string) => deleteKeysOf(db, teamId, now).execute()

export const deleteKeysFromSource = (db: Db, teamId: string, source: string, now: string) =>
  deleteKeysOf(db, teamId, now).where('source', '=', source).execute()

const deleteKeysOf = (db: Db, teamId: string, now: string) =>
  db
    .updateTable('api_keys')
    .set({ deleted_at: now, updated_at: now })
    .where('team_id', '=', teamId)
    .where('deleted_at', 'is', null)
    .returning(['id', 'name', 'created_by'])

/** The current value stays valid until this time. */
export const retainValueUntil = async (db: Db, keyId: string, expiresAt: string): Promise<void> => {
  await db
    .insertInto('api_key_previous_values')
    .columns(['token_hash', 'key_id', 'expires_at'])
    .expression((from) =>
      from
        .selectFrom('api_keys')
        .select(['token_hash', 'id', sql<string>`${expiresAt}::timestamptz`.as('expires_at')])
        .where('id', '=', keyId),
    )
    .execute()
}

export const capPreviousValues = async (db: Db, keyId: string, expiresAt: string): Promise<void> => {
  await db
    .updateTable('api_key_previous_values')
    .set({ expires_at: expiresAt })
    .where('key_id', '=', keyId)
    .where('expires_at', '>', expiresAt)
    .execute()
}

export const replaceValue = async (
  db: Db,
  keyId: string,
  value: { tokenHash: Buffer; lastFour: string },
  now: string,
): Promise<void> => {
  await db
    .updateTable('api_keys')
    .set({ token_hash: value.tokenHash, last_four: value.lastFour, updated_at: now })
    .where('id', '=', keyId)
    .execute()
}

/** Undefined when the user is not a member; otherwise the membership is locked until the transaction ends. */
export const lockMembership = (db: Db, teamId: string, userId: string) =>
  db
    .selectFrom('team_members')
    .select('role')
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .forKeyShare()
    .limit(1)
    .executeTakeFirst()

export const insertServiceAccount = async (db: Db, id: string, teamId: string): Promise<void> => {
  await db
    .insertInto('users')
    .values({ id, name: 'Service account', role: 'system', service_team_id: teamId, default_team_id: teamId })
    .onConflict((conflict) => conflict.column('service_team_id').where('service_team_id', 'is not', null).doNothing())
    .execute()
}

export const findServiceAccount = (db: Db, teamId: string) =>
  db.selectFrom('users').select('id').where('service_team_id', '=', teamId).limit(1).executeTakeFirst()

/** Deletes expired keys and long-revoked ones. */
export const purgeKeys = async (db: Db, now: string, revokedBefore: string): Promise<number> => {
  const { numDeletedRows } = await db
    .deleteFrom('api_keys')
    .where((where) => where.or([where('expires_at', '<=', now), where('deleted_at', '<=', revokedBefore)]))
    .executeTakeFirst()
  return Number(numDeletedRows)
}

export const purgePreviousValues = async (db: Db, now: string): Promise<void> => {
  await db.deleteFrom('api_key_previous_values').where('expires_at', '<=', now).execute()
}
