// Loads the master key from the settings or a file in the data folder, which the first start generates. The database
// stores a check value encrypted with the current key: a wrong key fails the start before anything is written, and
// during a rotation the check value shows which key is current.
import { aloneWith } from '../db/alone.ts'
import type { Db } from '../db/database.ts'
import { keyIdOf, openWith, sealWith } from './envelope.ts'
import {
  generateMasterKey,
  keyFilePath,
  type MasterKey,
  parseMasterKey,
  readKeyFile,
  writeKeyFile,
} from './key-file.ts'
import * as store from './store.ts'

export type KeySource = {
  readonly DATA_DIR: string
  readonly MASTER_KEY: string | undefined
  readonly MASTER_KEY_PREVIOUS: string | undefined
}

export type MasterKeys = {
  /** The key that encrypts new data keys, and its check value. */
  current(): { master: MasterKey; check: string }
  find(id: string): MasterKey | undefined
  known(): readonly MasterKey[]
  /** Reads keys and check value again: another process may have rotated. */
  reload(): Promise<void>
}

const checkText = 'millrace'
export const sealCheck = ({ id, key }: MasterKey): string =>
  sealWith(key, id, Buffer.from(checkText), store.checkName).toString('base64')

const opensCheck = ({ key }: MasterKey, check: string): boolean =>
  openWith(key, Buffer.from(check, 'base64'), store.checkName)?.toString() === checkText

/** The newest first; null if there is none yet. */
export const readMasterKeys = async (source: KeySource): Promise<MasterKey[] | null> => {
  if (source.MASTER_KEY === undefined) return readKeyFile(keyFilePath(source.DATA_DIR))
  const given = [source.MASTER_KEY, source.MASTER_KEY_PREVIOUS].flatMap((text) => text ?? [])
  return given.map(parseMasterKey).filter((key) => key !== null)
}

const missing = (source: KeySource): Error =>
  new Error(
    `The master key is missing, but this database was encrypted with one. Restore it as ${keyFilePath(source.DATA_DIR)} or set MASTER_KEY. Nothing was changed.`,
  )

const wrong = (source: KeySource): Error => {
  const cure =
    source.MASTER_KEY === undefined
      ? `Restore ${keyFilePath(source.DATA_DIR)} from a backup, or set MASTER_KEY to the key of this database.`
      : 'Set MASTER_KEY to the key of this database. During a rotation, set MASTER_KEY_PREVIOUS to the previous key.'
  return new Error(`The master key does not match this database. ${cure} Nothing was changed.`)
}

type Loaded = { keys: readonly MasterKey[]; master: MasterKey; check: string }

const load = async (db: Db, source: KeySource): Promise<Loaded> => {
  const keys = await readMasterKeys(source)
  const check = await store.findCheck(db)
  if (check === undefined) throw new Error('The database has no master key check; start the server once')
  if (keys === null) throw missing(source)
  const id = keyIdOf(Buffer.from(check, 'base64'))
  const master = keys.find((key) => key.id === id)
  if (!master || !opensCheck(master, check)) throw wrong(source)
  return { keys, master, check }
}

/** Generates a key at the first start if none was given, and then stores its check value. */
const settleFirstKey = (db: Db, source: KeySource): Promise<void> =>
  db.transaction().execute(async (db) => {
    await aloneWith(db, 'first master key')
    if ((await store.findCheck(db)) !== undefined) return
    const [given] = (await readMasterKeys(source)) ?? []
    const master = given ?? generateMasterKey()
    if (!given) await writeKeyFile(keyFilePath(source.DATA_DIR), [master])
    await store.insertCheck(db, sealCheck(master))
  })

export const openMasterKeys = async (db: Db, source: KeySource): Promise<MasterKeys> => {
  if ((await store.findCheck(db)) === undefined) await settleFirstKey(db, source)
  let loaded = await load(db, source)
  return {
    current: () => ({ master: loaded.master, check: loaded.check }),
    find: (id) => loaded.keys.find((key) => key.id === id),
    known: () => loaded.keys,
    reload: async () => {
      loaded = await load(db, source)
    },
  }
}
