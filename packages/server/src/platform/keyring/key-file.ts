// The master key file: one base64 key per line, the newest first; more than one only during a rotation. The file is
// replaced atomically and survives a power failure.
import { createHash, randomBytes } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export type MasterKey = { readonly id: string; readonly key: Buffer }

export const keyFilePath = (dataDir: string): string => join(dataDir, 'master.key')

/** Null if the text is not 32 bytes in base64. */
export const parseMasterKey = (base64: string): MasterKey | null => {
  const key = Buffer.from(base64, 'base64')
  if (key.length !== 32) return null
  return { id: createHash('sha256').update('millrace master key').update(key).digest('hex').slice(0, 16), key }
}

export const generateMasterKey = (): MasterKey => {
  const key = parseMasterKey(randomBytes(32).toString('base64'))
  if (!key) throw new Error('A fresh master key could not be read back')
  return key
}

/** Null if the file does not exist. Throws if it contains anything but keys. */
export const readKeyFile = async (path: string): Promise<MasterKey[] | null> => {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  const keys = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map(parseMasterKey)
  if (keys.length === 0 || keys.includes(null))
    throw new Error(
      `The master key file ${path} is damaged; each line must be 32 bytes in base64. Restore it from a backup. Nothing was changed.`,
    )
  return keys.filter((key) => key !== null)
}

export const writeKeyFile = async (path: string, keys: readonly MasterKey[]): Promise<void> => {
  const fresh = `${path}.${process.pid}.tmp`
  await rm(fresh, { force: true })
  const file = await open(fresh, 'wx', 0o600)
  try {
    await file.writeFile(keys.map(({ key }) => `${key.toString('base64')}\n`).join(''))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(fresh, path)
  const folder = await open(dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
