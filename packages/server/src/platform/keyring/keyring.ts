// Two layers of keys: a data key per team seals that team's values, and the master key seals the data keys. Data keys
// live in the database, the master key never does.
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
  /** `boundTo` names the row and column; the same text is needed to open. */
  seal(db: Db, teamId: string, plain: string | Buffer, boundTo: string): Promise<Buffer>
  open(db: Db, sealed: Buffer, boundTo: string): Promise<Buffer>
  /** Gives a team a new data key for everything sealed from now on; returns its id. */
  renew(teamId: string, now: Date): Promise<string>
  /** A signature under the master key, so that what lies outside the database can be told from a forgery. */
  sign(text: string): string
  /** `unknown`: signed with a master key that is not here any more. */
  verify(text: string, signature: string): 'signed' | 'forged' | 'unknown'
  /** Whether a signature was made with the master key in use. */
  isCurrent(signature: string): boolean
  /** Another process has rotated a key: forget which ones are in use. */
  refresh(): Promise<void>
}

/** Sealing that belongs to no team: idempotent answers, second factors, the platform's own secrets. */
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

/** A key of its own for signatures: one key never serves two purposes. */
const signWith = ({ id, key }: MasterKey, text: string): string => {
  const signingKey = Buffer.from(hkdfSync('sha256', key, '', 'millrace signatures', 32))
  return `${id}.${createHmac('sha256', signingKey).update(text).digest('hex')}`
}

const keyIdOfSignature = (signature: string): string => signature.split('.')[0] ?? ''

/** How often a key that is being rotated away may be met before something else must be wrong. */
const rotationPatience = 5

/**
 * `apart`: a handle outside of every transaction. A data key is remembered here once it was made, so it must not vanish
 * with the caller's transaction: everything sealed with it later could never be opened again.
 */
export const createKeyring = (masters: MasterKeys, apart: Db): Keyring => {
  const opened = new Map<string, Buffer>()
  const active = new Map<string, string>()

  /** Null when the master key that seals the row is not known, even after looking again. */
  const tryUnwrap = async (row: store.DataKeyRow): Promise<Buffer | null> => {
    if (!masters.find(row.master_key_id)) await masters.reload()
    const master = masters.find(row.master_key_id)
    return master ? openDataKey(master, row) : null
  }

  const unwrap = async (row: store.DataKeyRow): Promise<Buffer> => {
    let key = await tryUnwrap(row)
    if (!key) {
      // The row may have been re-sealed between reading it and reading the master key.
      const fresh = await store.findById(apart, row.id)
      key = fresh ? await tryUnwrap(fresh) : null
    }
    if (!key) throw new Error(`The data key ${row.id} cannot be opened with the master key in use`)
    opened.set(row.id, key)
    return key
  }

  const activeKey = async (db: Db, teamId: string): Promise<{ id: string; key: Buffer }> => {
    const cachedId = active.get(teamId)
    const cached = cachedId === undefined ? undefined : opened.get(cachedId)
    if (cachedId !== undefined && cached) return { id: cachedId, key: cached }
    const row = (await store.findActive(db, teamId)) ?? (await createDataKey(apart, teamId))
    const key = opened.get(row.id) ?? (await unwrap(row))
    active.set(teamId, row.id)
    return { id: row.id, key }
  }

  const createDataKey = async (db: Db, teamId: string): Promise<store.DataKeyRow> => {
    for (let attempt = 0; attempt < rotationPatience; attempt++) {
      const { master, check } = masters.current()
      await store.insertIfAbsent(db, sealDataKey(master, newId(), teamId, randomBytes(32)), check)
      // Another request may have been first; its key is the one.
      const row = await store.findActive(db, teamId)
      if (row) return row
      await masters.reload()
    }
    throw new Error(`The data key of ${teamId} could not be written`)
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
      if (!plain) throw new Error('A sealed value does not open: wrong key, wrong row or damaged bytes')
      return plain
    },
    renew: async (teamId, now) => {
      const row = await apart.transaction().execute(async (db) => {
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
