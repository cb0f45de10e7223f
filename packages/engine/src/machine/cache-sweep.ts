// Keeps the caches from growing forever: what nobody has used for a while goes. Use is the folder's own date, renewed
// each time it is taken.

import { readdir, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'

export const markUsed = async (folder: string): Promise<void> => {
  const now = new Date()
  // Swept in this very moment: the one who wanted it will find it missing and fetch it again.
  await utimes(folder, now, now).catch(() => {})
}

export const sweepCache = async (folder: string, unusedMs: number, nowMs: number): Promise<string[]> => {
  const names = await readdir(folder).catch(() => [])
  const removed: string[] = []
  for (const name of names) {
    const path = join(folder, name)
    const facts = await stat(path).catch(() => undefined)
    if (!facts || nowMs - facts.mtimeMs < unusedMs) continue
    await rm(path, { recursive: true, force: true })
    removed.push(name)
  }
  return removed
}
