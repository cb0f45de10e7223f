// The id of a data folder. A server that locks the folder replaces the server that had it before.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '@millrace/contract/ids'

export const placeOf = async (dataDir: string): Promise<string> => {
  const path = join(dataDir, 'place')
  const known = (await readFile(path, 'utf8').catch(() => '')).trim()
  if (known !== '') return known
  const made = newId()
  await writeFile(path, `${made}\n`, { mode: 0o600 })
  return made
}
