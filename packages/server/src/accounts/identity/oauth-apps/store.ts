// SQL of OAuth clients and their codes.
import { type Insertable, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import type { Database } from '#platform/db/schema.gen.ts'

export type ClientRow = { id: string; name: string; client_uri: string; redirect_uris: string[] }

export const insertClient = async (db: Db, row: Insertable<Database['oauth_clients']>): Promise<void> => {
  await db.insertInto('oauth_clients').values(row).execute()
}

export const countClientsFrom = async (db: Db, ip: string, since: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from oauth_clients where ip = ${ip} and created_at > ${since}::timestamptz`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

export const findClient = (db: Db, id: string): Promise<ClientRow | undefined> =>
  db
    .selectFrom('oauth_clients')
    .select(['id', 'name', 'client_uri', 'redirect_uris'])
    .where('id', '=', id)
    .limit(1)
    .executeTakeFirst()

export const markClientUsed = async (db: Db, id: string, now: string): Promise<void> => {
  await db.updateTable('oauth_clients').set({ used_at: now }).where('id', '=', id).execute()
}

export const insertCode = async (db: Db, row: Insertable<Database['oauth_codes']>): Promise<void> => {
  await db.insertInto('oauth_codes').values(row).execute()
}

/** Locks the code: of two simultaneous exchanges, the second finds it used. */
export const lockCode = (db: Db, codeHash: Buffer) =>
  db.selectFrom('oauth_codes').selectAll().where('code_hash', '=', codeHash).forUpdate().limit(1).executeTakeFirst()

/** Records the resulting key, for a second presentation of the code. */
export const markCodeUsed = async (db: Db, codeHash: Buffer, keyId: string, now: string): Promise<void> => {
  await db.updateTable('oauth_codes').set({ used_at: now, key_id: keyId }).where('code_hash', '=', codeHash).execute()
}

/** Deletes ended codes, clients without consent, and clients unused for a long time. */
export const sweep = async (db: Db, before: { codes: string; unused: string; forgotten: string }): Promise<void> => {
  await sql`
    with codes as (delete from oauth_codes where expires_at < ${before.codes}::timestamptz)
    delete from oauth_clients where (used_at is null and created_at < ${before.unused}::timestamptz)
      or used_at < ${before.forgotten}::timestamptz`.execute(db)
}
