// The key that signs upload URLs: random, generated once per installation, encrypted in the database, the same on all
// servers.
import { randomBytes } from 'node:crypto'
import type { Db } from '../db/database.ts'
import { type Keyring, platformKeyTeam } from '../keyring/keyring.ts'
import { type SealedColumn, sealBinding } from '../keyring/sealed-columns.ts'
import { findUploadKey, insertUploadKey, uploadKeyId } from './upload-key-store.ts'

declare module '../core/ctx.ts' {
  interface Platform {
    /** Signs upload URLs. */
    readonly uploadKey: Uint8Array
  }
}

export const uploadKeyColumn: SealedColumn = { table: 'upload_keys', column: 'key_sealed', teamColumn: null }

const binding = sealBinding(uploadKeyColumn.table, uploadKeyId, uploadKeyColumn.column)

export const loadUploadKey = async (db: Db, keyring: Keyring): Promise<Buffer> => {
  const known = await findUploadKey(db)
  if (known) return keyring.open(db, known, binding)
  await insertUploadKey(db, await keyring.seal(db, platformKeyTeam, randomBytes(32), binding))
  // Another server may have stored its key first; that key is used.
  const sealed = await findUploadKey(db)
  if (!sealed) throw new Error('The key for upload URLs was not stored')
  return keyring.open(db, sealed, binding)
}
