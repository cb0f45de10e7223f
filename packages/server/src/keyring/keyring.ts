// Two layers of keys: a data key per team seals that team's values, and the master key seals the data keys. Data keys
// live in the database, the master key never does.
import { createHash, randomBytes } from 'node:crypto'
import { newId } from '@millrace/contract/ids'
import type { Db } from '../db/database.ts'
import { keyIdOf, openWith, sealWith } from './envelope.ts'
import * as store from './store.ts'

export type MasterKey = { readonly id: string; readonly key: Buffer }

export const masterKeyFrom = (base64: string): MasterKey => {
  const key = Buffer.from(base64, 'base64')
  return { id: createHash('sha256').update('millrace master key').update(key).digest('hex').slice(0, 16), key }
}

export type Keyring = {
  /** `boundTo` names the row and column; the same text is needed to open. */
  seal(db: Db, teamId: string, plain: string | Buffer, boundTo: string): Promise<Buffer>
  open(db: Db, sealed: Buffer, boundTo: string): Promise<Buffer>
}

/** Sealing that belongs to no team: idempotent answers, second factors, the platform's own secrets. */
export const platformKeyTeam = 'platform'

const dataKeyBinding = (id: string, teamId: string) => `data_keys/${id}/${teamId}`

/**
 * `apart`: a handle outside of every transaction. A data key is remembered here once it was made, so it must not vanish
 * with the caller's transaction: everything sealed with it later could never be opened again.
 */
export const createKeyring = (masters: () => readonly MasterKey[], apart: Db): Keyring => {
  const opened = new Map<string, Buffer>()
  const active = new Map<string, string>()

  const unwrap = (row: store.DataKeyRow): Buffer => {
    const master = masters().find((candidate) => candidate.id === row.master_key_id)
    const key = master && openWith(master.key, row.sealed_key, dataKeyBinding(row.id, row.team_id))
    if (!key) throw new Error(`The data key ${row.id} cannot be opened with the master key in use`)
    opened.set(row.id, key)
    return key
  }

  const activeKey = async (db: Db, teamId: string): Promise<{ id: string; key: Buffer }> => {
    const cachedId = active.get(teamId)
    const cached = cachedId === undefined ? undefined : opened.get(cachedId)
    if (cachedId !== undefined && cached) return { id: cachedId, key: cached }
    const row = (await store.findActive(db, teamId)) ?? (await createDataKey(teamId))
    const key = opened.get(row.id) ?? unwrap(row)
    active.set(teamId, row.id)
    return { id: row.id, key }
  }

  const createDataKey = async (teamId: string): Promise<store.DataKeyRow> => {
    const [master] = masters()
    if (!master) throw new Error('No master key is loaded')
    const id = newId()
    const sealed = sealWith(master.key, master.id, randomBytes(32), dataKeyBinding(id, teamId))
    await store.insertIfAbsent(apart, { id, team_id: teamId, master_key_id: master.id, sealed_key: sealed })
    // Another request may have been first; its key is the one.
    const row = await store.findActive(apart, teamId)
    if (!row) throw new Error(`The data key of ${teamId} vanished`)
    return row
  }

  return {
    seal: async (db, teamId, plain, boundTo) => {
      const { id, key } = await activeKey(db, teamId)
      return sealWith(key, id, Buffer.from(plain), boundTo)
    },
    open: async (db, sealed, boundTo) => {
      const id = keyIdOf(sealed)
      const row = id === null || opened.has(id) ? undefined : await store.findById(db, id)
      const key = id === null ? undefined : (opened.get(id) ?? (row && unwrap(row)))
      const plain = key && openWith(key, sealed, boundTo)
      if (!plain) throw new Error('A sealed value does not open: wrong key, wrong row or damaged bytes')
      return plain
    },
  }
}
