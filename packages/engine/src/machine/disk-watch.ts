// Measures what an app process has written and reports when that is too much: often while it works, now and then while it
// rests. Measuring walks folders, so that the next walk waits the longer, the longer this one took.

import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { blockBytes, mostDescriptors } from './process-table.ts'

export type DiskLimits = {
  // Of one process: its temporary files and its copy of the code.
  scratchBytes: number
  // Of one app in one workspace: what it keeps.
  keptBytes: number
  // Small files fill a disk's index long before they fill the disk.
  files: number
}

// `nameless`: what is held open and lies in no folder; unknown when too much is open.
export type WatchedFolders = {
  scratch: readonly string[]
  kept: readonly string[]
  nameless: () => Promise<number | undefined>
}

export type DiskWatch = { work: () => () => void; end: () => void }

const workingMs = 1_000
const restingMs = 15_000
// Walking may take this share of the time.
const walkShare = 1 / 20

export const watchDisk = (folders: WatchedFolders, limits: DiskLimits, onOver: (what: string) => void): DiskWatch => {
  let calls = 0
  let ended = false
  let timer: NodeJS.Timeout | undefined

  const measure = async () => {
    const begun = performance.now()
    const over = await crossedDiskLimit(folders, limits)
    if (ended) return
    if (over) return onOver(over)
    next((performance.now() - begun) / walkShare)
  }
  const next = (atLeastMs: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => void measure(), Math.max(atLeastMs, calls > 0 ? workingMs : restingMs)).unref()
  }

  next(0)
  return {
    work: () => {
      calls++
      if (calls === 1) next(0)
      return () => {
        calls--
      }
    },
    end: () => {
      ended = true
      clearTimeout(timer)
    },
  }
}

export const crossedDiskLimit = async (folders: WatchedFolders, limits: DiskLimits): Promise<string | undefined> => {
  const scratch = await usage(folders.scratch, limits.files)
  const kept = await usage(folders.kept, limits.files)
  const nameless = await folders.nameless()
  if (nameless === undefined) return `limit of ${mostDescriptors} open files exceeded`
  if (scratch.bytes + nameless > limits.scratchBytes)
    return `disk limit of ${inMegabytes(limits.scratchBytes)} MB exceeded`
  if (kept.bytes > limits.keptBytes)
    return `disk limit of ${inMegabytes(limits.keptBytes)} MB for data and cache exceeded`
  if (Math.max(scratch.files, kept.files) > limits.files) return `limit of ${limits.files} files exceeded`
  return undefined
}

export const folderBytes = async (folders: readonly string[]): Promise<number> =>
  (await usage(folders, Number.POSITIVE_INFINITY)).bytes

const inMegabytes = (bytes: number): number => Math.round(bytes / 1e6)

type Usage = { bytes: number; files: number }

const usage = async (folders: readonly string[], mostFiles: number): Promise<Usage> => {
  const sum: Usage = { bytes: 0, files: 0 }
  const waiting = [...folders]
  while (sum.files <= mostFiles) {
    const folder = waiting.pop()
    if (folder === undefined) break
    // The app goes on while it is measured: what has gone in between counts nothing.
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name)
      sum.files++
      if (entry.isDirectory()) waiting.push(path)
      else sum.bytes += (await lstat(path).catch(() => undefined))?.blocks ?? 0
    }
  }
  return { bytes: sum.bytes * blockBytes, files: sum.files }
}
