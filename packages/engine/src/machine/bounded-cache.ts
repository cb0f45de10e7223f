// A size-limited cache of entries that can be fetched again. The least recently used entries are removed first, and
// unused ones after a while. An entry in use is never removed, even above the limit. The last use is the modification
// time of the entry's folder, renewed when it is locked and released.

import { readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { removeFolder } from '../files/safe-open.ts'
import type { Log } from '../log.ts'
import { markUsed } from './cache-sweep.ts'
import { folderBytes } from './disk-watch.ts'

export type BoundedCache = {
  root: string
  // Locks the entry until the returned function is called. After the promise resolves, no removal of it is in progress.
  lock: (name: string) => Promise<() => void>
  // Marks the entry to be measured again.
  changed: (name: string) => void
  sweep: () => Promise<void>
  // Figures of the last sweep; a sweep follows every addition.
  figures: () => CacheFigures
}

export type CacheFigures = { entries: number; bytes: number; limit_bytes: number }

export type BoundedCacheOptions = { limitBytes: number; unusedMs: number; log: Log; now?: () => number }

type Entry = { name: string; bytes: number; usedMs: number }

const removedSuffix = '.gone'

export const createBoundedCache = (root: string, options: BoundedCacheOptions): BoundedCache => {
  const { limitBytes, unusedMs, log, now = Date.now } = options
  const locks = new Map<string, number>()
  const removals = new Map<string, Promise<void>>()
  const sizes = new Map<string, number>()
  let sweeping: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  let left = { entries: 0, bytes: 0 }

  const unlock = (name: string) => {
    const left = (locks.get(name) ?? 1) - 1
    if (left > 0) return void locks.set(name, left)
    locks.delete(name)
    void markUsed(join(root, name))
  }

  // Renamed first, so that an entry under its own name is always complete.
  const remove = (name: string): Promise<void> => {
    const removedPath = join(root, `${name}${removedSuffix}`)
    const removal = rename(join(root, name), removedPath).then(async () => {
      await removeFolder(removedPath)
      // The remains of an interrupted download may be a file.
      await rm(removedPath, { recursive: true, force: true })
    })
    removals.set(name, removal)
    sizes.delete(name)
    return removal.finally(() => removals.delete(name))
  }

  const readEntries = async (): Promise<Entry[]> => {
    const entries: Entry[] = []
    for (const name of await readdir(root).catch(() => [])) {
      const facts = await stat(join(root, name)).catch(() => undefined)
      if (!facts) continue
      const bytes = sizes.get(name) ?? (facts.isDirectory() ? await folderBytes([join(root, name)]) : facts.size)
      sizes.set(name, bytes)
      entries.push({ name, bytes, usedMs: facts.mtimeMs })
    }
    return entries.sort((one, other) => one.usedMs - other.usedMs)
  }

  const sweepOnce = async () => {
    const entries = await readEntries()
    let bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0)
    let count = 0
    for (const entry of entries) {
      const isOld = now() - entry.usedMs >= unusedMs
      // A name with an extension is work in progress, or its remains.
      const mayRemove = entry.name.endsWith(removedSuffix) || isOld || (bytes > limitBytes && !entry.name.includes('.'))
      if (!mayRemove || locks.has(entry.name)) continue
      await remove(entry.name)
      bytes -= entry.bytes
      count++
    }
    const there = new Set(entries.map(({ name }) => name))
    for (const name of sizes.keys()) if (!there.has(name)) sizes.delete(name)
    left = { entries: entries.length - count, bytes }
    if (count > 0) log('info', 'cache entries removed', { cache: root, count, bytes, limit_bytes: limitBytes })
    if (bytes > limitBytes) log('warn', 'a cache exceeds its limit, and all entries are in use', { cache: root, bytes })
  }

  return {
    root,
    lock: async (name) => {
      locks.set(name, (locks.get(name) ?? 0) + 1)
      // An entry whose removal failed is still complete.
      await removals.get(name)?.catch(() => {})
      let isLocked = true
      return () => {
        if (isLocked) unlock(name)
        isLocked = false
      }
    },
    changed: (name) => void sizes.delete(name),
    // Requests during a sweep cause exactly one more sweep, which covers them all.
    sweep: () => {
      next ??= sweeping.then(() => {
        next = undefined
        sweeping = sweepOnce().catch((error: unknown) =>
          log('warn', 'a cache sweep failed', { cache: root, error: String(error) }),
        )
        return sweeping
      })
      return next
    },
    figures: () => ({ ...left, limit_bytes: limitBytes }),
  }
}
