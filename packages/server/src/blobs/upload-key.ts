// The key that signs upload URLs: random, made once per installation, sealed in the database, the same on every replica.
import { randomBytes } from 'node:crypto'
import type { Db } from '../db/database.ts'
import { type Keyring, platformKeyTeam } from '../keyring/keyring.ts'
import { type SealedColumn, sealBinding } from '../keyring/sealed-columns.ts'

declare module '../core/ctx.ts' {
  interface Platform {
    /** Signs the URLs that uploads go to. */
    readonly uploadKey: Uint8Array
  }
}

export const uploadKeyColumn: SealedColumn = { table: 'upload_keys', column: 'key_sealed', teamColumn: null }

const id = 'current'
const binding = sealBinding(uploadKeyColumn.table, id, uploadKeyColumn.column)

const findSealed = async (db: Db): Promise<Buffer | undefined> => {
  const row = await db.selectFrom('upload_keys').select('key_sealed').where('id', '=', id).limit(1).executeTakeFirst()
  return row?.key_sealed
}

const insertIfAbsent = async (db: Db, sealed: Buffer): Promise<void> => {
  await db
    .insertInto('upload_keys')
    .values({ id, key_sealed: sealed })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

export const loadUploadKey = async (db: Db, keyring: Keyring): Promise<Buffer> => {
  const known = await findSealed(db)
  if (known) return keyring.open(db, known, binding)
  await insertIfAbsent(db, await keyring.seal(db, platformKeyTeam, randomBytes(32), binding))
  // Another replica may have been first; its key is the one.
  const sealed = await findSealed(db)
  if (!sealed) throw new Error('The key for upload URLs was not stored')
  return keyring.open(db, sealed, binding)
}
