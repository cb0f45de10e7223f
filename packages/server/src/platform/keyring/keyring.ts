// Two layers of keys: a data key per workspace encrypts its values, and the master key encrypts the data keys. Data
// keys are stored in the database, the master key never is.
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { newId } from '@millrace/contract/ids'
import type { Db } from '../db/database.ts'
import { keyIdOf, openWith, sealWith } from './envelope.ts'
import type { MasterKey } from './key-file.ts'
import type { MasterKeys } from './master-key.ts'
import * as store from './store.ts'

declare module '../core/ctx.ts' {
  interface Platform {
    readonly keyring: Keyring
  }
}

export type Keyring = {
  /** `boundTo` names the row and column; opening needs the same text. */
  seal(db: Db, teamId: string, plain: string | Buffer, boundTo: string): Promise<Buffer>
  open(db: Db, sealed: Buffer, boundTo: string): Promise<Buffer>
  /** Creates a new data key for later values of a workspace; returns its id. */
  renew(teamId: string, now: Date): Promise<string>
  /** A signature with the master key, to detect forgeries of data outside of the database. */
  sign(text: string): string
  /** `unknown`: signed with a master key that is not available. */
  verify(text: string, signature: string): 'signed' | 'forged' | 'unknown'
  /** Whether the signature is from the current master key. */
  isCurrent(signature: string): boolean
  /** Another process has rotated a key: clears cached keys. */
  refresh(): Promise<void>
}

/** Values that belong to no workspace: idempotent responses, second factors, secrets of the platform. */
export const platformKeyTeam = 'platform'

const dataKeyBinding = (id: string, teamId: string) => `data_keys/${id}/${teamId}`

export const openDataKey = (master: MasterKey, row: store.DataKeyRow): Buffer | null =>
  openWith(master.key, row.sealed_key, dataKeyBinding(row.id, row.team_id))

export const sealDataKey = (master: MasterKey, id: string, teamId: string, key: Buffer): store.DataKeyRow => ({
  id,
  team_id: teamId,
  master_key_id: master.id,
  sealed_key: sealWith(master.key, master.id, key, dataKeyBinding(id, teamId)),
})

const signingKeys = new WeakMap<Buffer, Buffer>()

/** A derived key for signatures, because one key must not have two purposes. */
const signingKeyOf = (key: Buffer): Buffer => {
  const known = signingKeys.get(key) ?? Buffer.from(hkdfSync('sha256', key, '', 'millrace signatures', 32))
  signingKeys.set(key, known)
  return known
}

const signWith = ({ id, key }: MasterKey, text: string): string =>
  `${id}.${createHmac('sha256', signingKeyOf(key)).update(text).digest('hex')}`

const keyIdOfSignature = (signature: string): string => signature.split('.')[0] ?? ''

/** How often a rotated key may be encountered before it is an error. */
const maxRotationAttempts = 5

/**
 * `apart`: a database handle outside of any transaction. A new data key is cached, so it must not be rolled back with
 * the caller's transaction: values encrypted with it could never be decrypted.
 */
export const createKeyring = (masters: MasterKeys, separateDb: Db): Keyring => {
  const opened = new Map<string, Buffer>()
  const active = new Map<string, string>()

  /** Null if the master key of the row is unknown, also after reloading. */
  const tryUnwrap = async (row: store.DataKeyRow): Promise<Buffer | null> => {
    if (!masters.find(row.master_key_id)) await masters.reload()
    const master = masters.find(row.master_key_id)
    return master ? openDataKey(master, row) : null
  }

  const unwrap = async (row: store.DataKeyRow): Promise<Buffer> => {
    let key = await tryUnwrap(row)
    if (!key) {
      // The row may have been re-encrypted between reading it and reading the master key.
      const fresh = await store.findById(separateDb, row.id)
      key = fresh ? await tryUnwrap(fresh) : null
    }
    if (!key) throw new Error(`The data key ${row.id} cannot be decrypted with the current master key`)
    opened.set(row.id, key)
    return key
  }

  const activeKey = async (db: Db, teamId: string): Promise<{ id: string; key: Buffer }> => {
    const cachedId = active.get(teamId)
    const cached = cachedId === undefined ? undefined : opened.get(cachedId)
    if (cachedId !== undefined && cached) return { id: cachedId, key: cached }
    const row = (await store.findActive(db, teamId)) ?? (await createDataKey(separateDb, teamId))
    const key = opened.get(row.id) ?? (await unwrap(row))
    active.set(teamId, row.id)
    return { id: row.id, key }
  }

  const createDataKey = async (db: Db, teamId: string): Promise<store.DataKeyRow> => {
    for (let attempt = 0; attempt < maxRotationAttempts; attempt++) {
      const { master, check } = masters.current()
      await store.insertIfAbsent(db, sealDataKey(master, newId(), teamId, randomBytes(32)), check)
      // Another request may have inserted its key first; that key is used.
      const row = await store.findActive(db, teamId)
      if (row) return row
      await masters.reload()
    }
    throw new Error(`Could not store the data key of ${teamId}`)
  }

  return {
    seal: async (db, teamId, plain, boundTo) => {
      const { id, key } = await activeKey(db, teamId)
      return sealWith(key, id, Buffer.from(plain), boundTo)
    },
    open: async (db, sealed, boundTo) => {
      const id = keyIdOf(sealed)
      const row = id === null || opened.has(id) ? undefined : await store.findById(db, id)
      const key = id === null ? undefined : (opened.get(id) ?? (row && (await unwrap(row))))
      const plain = key && openWith(key, sealed, boundTo)
      if (!plain) throw new Error('Could not decrypt a value: wrong key, wrong row or damaged bytes')
      return plain
    },
    renew: async (teamId, now) => {
      const row = await separateDb.transaction().execute(async (db) => {
        await store.retireActive(db, teamId, now.toISOString())
        return createDataKey(db, teamId)
      })
      await unwrap(row)
      active.set(teamId, row.id)
      return row.id
    },
    sign: (text) => signWith(masters.current().master, text),
    verify: (text, signature) => {
      const master = masters.find(keyIdOfSignature(signature))
      if (!master) return 'unknown'
      const [right, given] = [signWith(master, text), signature].map((value) => Buffer.from(value)) as [Buffer, Buffer]
      return right.length === given.length && timingSafeEqual(right, given) ? 'signed' : 'forged'
    },
    isCurrent: (signature) => keyIdOfSignature(signature) === masters.current().master.id,
    refresh: async () => {
      active.clear()
      await masters.reload()
    },
  }
}
