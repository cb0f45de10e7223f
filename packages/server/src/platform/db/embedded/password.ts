// The database password: random, in a file that only its owner can read, written atomically.
import { randomBytes } from 'node:crypto'
import { chmod, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'

const fileIn = (dataDir: string) => join(dataDir, 'postgres.password')

export const readPassword = async (dataDir: string): Promise<string | null> => {
  try {
    const password = (await readFile(fileIn(dataDir), 'utf8')).trim()
    return password === '' ? null : password
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw new Error(`The file ${fileIn(dataDir)} cannot be read. Run this as the user who runs the Millrace server.`, {
      cause: error,
    })
  }
}

/** `mayCreate` is false if a database exists, because a new password would not open it. */
export const ensurePassword = async (dataDir: string, mayCreate: boolean): Promise<string> => {
  const file = fileIn(dataDir)
  const existing = await readPassword(dataDir)
  if (existing !== null) {
    await chmod(file, 0o600)
    return existing
  }
  if (!mayCreate) {
    throw new Error(
      `The file ${file} is missing, and the database in ${dataDir} accepts no other password. Restore the file.`,
    )
  }
  const password = randomBytes(32).toString('hex')
  const draft = await open(`${file}.new`, 'w', 0o600)
  try {
    await draft.writeFile(`${password}\n`)
    await draft.sync()
  } finally {
    await draft.close()
  }
  await rename(`${file}.new`, file)
  return password
}
