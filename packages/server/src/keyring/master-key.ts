// Where the master key comes from: the setting, or a file in the data folder made on first start. The database
// remembers a check value, so that a wrong key stops the start before anything is written with it.
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Db } from '../db/database.ts'
import { openWith, sealWith } from './envelope.ts'
import { type MasterKey, masterKeyFrom } from './keyring.ts'

const fileName = 'master.key'
const checkName = 'master_key_check'
const checkText = 'millrace'

const readKeyFile = async (path: string): Promise<string | null> => {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

export const loadMasterKey = async (db: Db, dataDir: string, setting: string | undefined): Promise<MasterKey> => {
  const path = join(dataDir, fileName)
  const given = setting ?? (await readKeyFile(path))
  const check = await db.selectFrom('server_state').select('value').where('name', '=', checkName).executeTakeFirst()
  if (given === null && check)
    throw new Error(
      `The master key is missing: this database was sealed with one. Put it back as ${path} or set MASTER_KEY. Nothing was changed.`,
    )
  const text = given ?? randomBytes(32).toString('base64')
  if (given === null) await writeFile(path, `${text}\n`, { mode: 0o600, flag: 'wx' })
  const master = masterKeyFrom(text)
  if (!check) {
    const sealed = sealWith(master.key, master.id, Buffer.from(checkText), checkName)
    await db
      .insertInto('server_state')
      .values({ name: checkName, value: JSON.stringify({ sealed: sealed.toString('base64') }) })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute()
    return master
  }
  const { sealed } = check.value as { sealed: string }
  if (openWith(master.key, Buffer.from(sealed, 'base64'), checkName)?.toString() !== checkText)
    throw new Error(
      'The master key does not open this database. Set MASTER_KEY to (or restore master.key with) the key it was sealed with. Nothing was changed.',
    )
  return master
}
