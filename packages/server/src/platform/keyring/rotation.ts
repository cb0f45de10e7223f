// Rotates keys of running servers. Values can be decrypted at any time: every server has access to the new key before
// the first row uses it, and the old key is removed when no row uses it.
import type { Platform } from '../core/ctx.ts'
import type { Db } from '../db/database.ts'
import { notify } from '../db/notify.ts'
import { generateMasterKey, keyFilePath, type MasterKey, writeKeyFile } from './key-file.ts'
import { openDataKey, platformKeyTeam, sealDataKey } from './keyring.ts'
import { type MasterKeys, openMasterKeys, sealCheck } from './master-key.ts'
import { type SealedColumn, sealBinding } from './sealed-columns.ts'
import * as store from './store.ts'

/** Notifies all servers that a current key has changed. */
export const keyringChannel = 'keyring_changed'

export const resealJob = 'keyring_reseal'

const batchSize = 200
/** Long enough for transactions that still use the old data key to end. */
const stragglerDelayMs = 60_000

type Opened = { readonly platform: Platform }

export type MasterRotation = {
  master_key_id: string
  /** Number of data keys that this call re-encrypted. */
  resealed: number
  /** Whether an interrupted rotation was completed. */
  resumed: boolean
}

export const rotateMasterKey = async ({ platform }: Opened): Promise<MasterRotation> => {
  const { db, settings, now } = platform
  return exclusively(db, async () => {
    const masters = await openMasterKeys(db, settings)
    const { target, resumed } = await chooseTarget(platform, masters)
    if (target.id !== masters.current().master.id)
      await db.transaction().execute(async (db) => {
        await store.updateCheck(db, sealCheck(target), now().toISOString())
        await notify(db, keyringChannel, '')
      })
    const resealed = await resealDataKeys(db, masters, target)
    if (settings.MASTER_KEY === undefined) await writeKeyFile(keyFilePath(settings.DATA_DIR), [target])
    await notify(db, keyringChannel, '')
    await platform.keyring.refresh()
    return { master_key_id: target.id, resealed, resumed }
  })
}

const exclusively = <T>(db: Db, work: () => Promise<T>): Promise<T> =>
  db.connection().execute(async (held) => {
    if (!(await store.tryLockRotation(held))) throw new Error('Another rotation is in progress')
    try {
      return await work()
    } finally {
      await store.unlockRotation(held)
    }
  })

/** The target key: generated now, by an interrupted rotation, or given by the settings. */
const chooseTarget = async (
  { db, settings }: Platform,
  masters: MasterKeys,
): Promise<{ target: MasterKey; resumed: boolean }> => {
  const { master } = masters.current()
  const [newest = master] = masters.known()
  const unfinished = (await store.findUnderOthers(db, newest.id, 1)).length > 0
  if (settings.MASTER_KEY !== undefined) {
    if (newest.id === master.id && !unfinished)
      throw new Error(
        'The master key comes from MASTER_KEY. To change it: set MASTER_KEY to a new key (32 random bytes in base64) and MASTER_KEY_PREVIOUS to the present one, restart every server, then run this command again with the same settings.',
      )
    return { target: newest, resumed: newest.id === master.id }
  }
  if (newest.id !== master.id || masters.known().length > 1) return { target: newest, resumed: true }
  const target = generateMasterKey()
  await writeKeyFile(keyFilePath(settings.DATA_DIR), [target, ...masters.known()])
  await masters.reload()
  return { target, resumed: false }
}

const resealDataKeys = async (db: Db, masters: MasterKeys, target: MasterKey): Promise<number> => {
  let resealed = 0
  for (;;) {
    const rows = await store.findUnderOthers(db, target.id, batchSize)
    if (rows.length === 0) return resealed
    for (const row of rows) {
      const master = masters.find(row.master_key_id)
      const key = master ? openDataKey(master, row) : null
      if (!key)
        throw new Error(
          `The data key ${row.id} is encrypted with the master key ${row.master_key_id}, which is not available. The old key is kept.`,
        )
      await store.replaceSealedKey(db, row, sealDataKey(target, row.id, row.team_id, key))
      resealed += 1
    }
  }
}

export type DataKeyRotation = { data_key_id: string; resealed: number }

/** Creates a new data key for a workspace (or `platform`) and re-encrypts all its values. */
export const rotateDataKey = async ({ platform }: Opened, teamId: string): Promise<DataKeyRotation> => {
  const { db, jobs, keyring, now } = platform
  const data_key_id = await keyring.renew(teamId, now())
  await db.transaction().execute(async (db) => {
    await notify(db, keyringChannel, teamId)
    const runAt = new Date(now().getTime() + stragglerDelayMs)
    await jobs.add(db, resealJob, { team_id: teamId }, { runAt, key: `${resealJob}:${teamId}` })
  })
  return { data_key_id, resealed: await resealValues(platform, teamId) }
}

/** Re-encrypts all values of a workspace with its active data key. Returns their number. */
export const resealValues = async (platform: Platform, teamId: string): Promise<number> => {
  const isPlatform = teamId === platformKeyTeam
  const owned = platform.sealedColumns.filter(({ teamColumn }) => (teamColumn === null) === isPlatform)
  let resealed = 0
  for (const column of owned) resealed += await resealColumn(platform, column, teamId)
  return resealed
}

const resealColumn = async ({ db, keyring }: Platform, column: SealedColumn, teamId: string): Promise<number> => {
  let resealed = 0
  for (;;) {
    // Each batch reads the active key again: with a stale one, this loop would never end.
    await keyring.refresh()
    const active = await store.findActive(db, teamId)
    const rows = active ? await store.findSealedByOthers(db, column, teamId, active.id, batchSize) : []
    if (rows.length === 0) return resealed
    for (const row of rows) {
      const boundTo = sealBinding(column.table, row.id.join('/'), column.column)
      const plain = await keyring.open(db, row.sealed, boundTo)
      if (await store.replaceSealed(db, column, row, await keyring.seal(db, teamId, plain, boundTo))) resealed += 1
    }
  }
}
