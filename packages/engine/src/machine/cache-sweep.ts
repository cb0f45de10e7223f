// Removes caches of apps that were not used for a while. The last use is the folder's modification time, renewed at
// each use.

import { readdir, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { removeFolder } from '../files/safe-open.ts'

export const markUsed = async (folder: string): Promise<void> => {
  const now = new Date()
  // The folder may have been removed at the same moment.
  await utimes(folder, now, now).catch(() => {})
}

// Sweeps the folders of apps per workspace: a cache can be rebuilt and is removed, data is never removed.
export const sweepAppCaches = async (apps: string, unusedMs: number, nowMs: number): Promise<string[]> => {
  const removed: string[] = []
  for (const app of await readdir(apps).catch(() => [])) {
    for (const team of await readdir(join(apps, app)).catch(() => [])) {
      const facts = await stat(join(apps, app, team)).catch(() => undefined)
      if (!facts || nowMs - facts.mtimeMs < unusedMs) continue
      await removeFolder(join(apps, app, team, 'cache'))
      removed.push(`${app}/${team}`)
    }
  }
  return removed
}
