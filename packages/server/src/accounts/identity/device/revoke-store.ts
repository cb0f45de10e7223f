// SQL of revoking a credential by its own text.
import type { Db } from '#platform/db/database.ts'

export const findTokenSession = (db: Db, tokenHash: Buffer) =>
  db
    .selectFrom('auth_sessions')
    .select(['id', 'user_id', 'team_id'])
    .where('token_hash', '=', tokenHash)
    .where('kind', '=', 'token')
    .where('revoked_at', 'is', null)
    .limit(1)
    .executeTakeFirst()

export const endKey = (db: Db, tokenHash: Buffer, now: string) =>
  db
    .updateTable('api_keys')
    .set({ deleted_at: now, updated_at: now })
    .where('token_hash', '=', tokenHash)
    .where('deleted_at', 'is', null)
    .returning(['id', 'team_id', 'name', 'created_by'])
    .executeTakeFirst()

/** Ends a value in its grace period; the key's new value stays valid. */
export const endPreviousValue = (db: Db, tokenHash: Buffer) =>
  db.deleteFrom('api_key_previous_values').where('token_hash', '=', tokenHash).returning('key_id').executeTakeFirst()
