// Keeps what apps cache for themselves from growing forever: what nobody has used for a while goes. Use is the folder's own
// date, renewed each time it is taken.

import { readdir, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { removeFolder } from '../files/beneath.ts'

export const markUsed = async (folder: string): Promise<void> => {
  const now = new Date()
  // It may have gone in this very moment.
  await utimes(folder, now, now).catch(() => {})
}

// What an app keeps for itself per workspace: its cache can be made again, its data cannot and stays.
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
