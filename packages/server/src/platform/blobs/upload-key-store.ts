// SQL of the key that signs upload URLs.
import type { Db } from '../db/database.ts'

export const uploadKeyId = 'current'

export const findUploadKey = async (db: Db): Promise<Buffer | undefined> => {
  const row = await db
    .selectFrom('upload_keys')
    .select('key_sealed')
    .where('id', '=', uploadKeyId)
    .limit(1)
    .executeTakeFirst()
  return row?.key_sealed
}

export const insertUploadKey = async (db: Db, sealed: Buffer): Promise<void> => {
  await db
    .insertInto('upload_keys')
    .values({ id: uploadKeyId, key_sealed: sealed })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}
