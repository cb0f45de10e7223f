// Measures the disk use of an app process and reports an exceeded limit: often during a call, rarely between calls.
// Measuring walks folders, so the pause grows with the duration of the last walk.

import { lstat, readdir, statfs } from 'node:fs/promises'
import { blockBytes, maxDescriptors } from './process-table.ts'

export type DiskLimits = {
  // Limit of one process: temporary files and its copy of the code.
  scratchBytes: number
  // Limit of one app in one workspace: data and cache.
  persistentBytes: number
  // Small files exhaust inodes long before disk space.
  files: number
  // While the disk has less free space than this, a process that writes is ended.
  freeBytes: number
}

// `unlinkedBytes`: size of open files without a name; undefined when too many files are open.
export type WatchedFolders = {
  scratch: readonly string[]
  persistent: readonly string[]
  unlinkedBytes: () => Promise<number | undefined>
}

export type DiskWatch = { work: () => () => void; end: () => void }

const workingMs = 1_000
const idleMs = 15_000
// The share of time that walking may take.
const walkShare = 1 / 20

export const watchDisk = (folders: WatchedFolders, limits: DiskLimits, onOver: (what: string) => void): DiskWatch => {
  let calls = 0
  let ended = false
  let timer: NodeJS.Timeout | undefined
  let before: number | undefined

  const measure = async () => {
    const begun = performance.now()
    const measured = await measureDisk(folders, limits)
    const over = exceededLimit(measured, limits) ?? (await exceededDisk(folders, limits, measured.bytes, before))
    before = measured.bytes
    if (ended) return
    if (over) return onOver(over)
    next((performance.now() - begun) / walkShare)
  }
  // A failed walk proves nothing about the app, because the next one may succeed.
  const retry = () => {
    if (!ended) next(idleMs)
  }
  const next = (atLeastMs: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => void measure().catch(retry), Math.max(atLeastMs, calls > 0 ? workingMs : idleMs)).unref()
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

export const crossedDiskLimit = async (folders: WatchedFolders, limits: DiskLimits): Promise<string | undefined> =>
  exceededLimit(await measureDisk(folders, limits), limits)

type Measured = { scratch: Usage; persistent: Usage; unlinkedBytes: number | undefined; bytes: number }

const measureDisk = async (folders: WatchedFolders, limits: DiskLimits): Promise<Measured> => {
  const scratch = await usage(folders.scratch, limits.files)
  const persistent = await usage(folders.persistent, limits.files)
  const unlinkedBytes = await folders.unlinkedBytes()
  return { scratch, persistent, unlinkedBytes, bytes: scratch.bytes + persistent.bytes + (unlinkedBytes ?? 0) }
}

const exceededLimit = ({ scratch, persistent, unlinkedBytes }: Measured, limits: DiskLimits): string | undefined => {
  if (unlinkedBytes === undefined) return `limit of ${maxDescriptors} open files exceeded`
  if (scratch.bytes + unlinkedBytes > limits.scratchBytes)
    return `disk limit of ${inMegabytes(limits.scratchBytes)} MB exceeded`
  if (persistent.bytes > limits.persistentBytes)
    return `disk limit of ${inMegabytes(limits.persistentBytes)} MB for data and cache exceeded`
  if (Math.max(scratch.files, persistent.files) > limits.files) return `limit of ${limits.files} files exceeded`
  const unreadable = scratch.unreadable ?? persistent.unreadable
  return unreadable === undefined ? undefined : `the app made a folder that cannot be measured (${unreadable})`
}

// Smaller growth cannot be what fills the disk.
const minGrowthBytes = 1_000_000

const exceededDisk = async (
  { scratch }: WatchedFolders,
  { freeBytes }: DiskLimits,
  bytes: number,
  before: number | undefined,
): Promise<string | undefined> => {
  const [folder] = scratch
  if (folder === undefined || before === undefined || bytes - before < minGrowthBytes) return undefined
  const disk = await statfs(folder).catch(() => undefined)
  if (disk === undefined || disk.bavail * disk.bsize >= freeBytes) return undefined
  return `the disk of the engine has less than ${inMegabytes(freeBytes)} MB left`
}

export const folderBytes = async (folders: readonly string[]): Promise<number> =>
  (await usage(folders, Number.POSITIVE_INFINITY)).bytes

const inMegabytes = (bytes: number): number => Math.round(bytes / 1e6)

// `unreadable`: why a folder could not be listed, such as a mode that excludes the engine or a path that is too long.
type Usage = { bytes: number; files: number; unreadable?: string }

const separator = Buffer.from('/')

// Paths are bytes: a name that is not UTF-8 would be measured as a file that does not exist.
const usage = async (folders: readonly string[], maxFiles: number): Promise<Usage> => {
  const sum: Usage = { bytes: 0, files: 0 }
  const queue: Buffer[] = folders.map((folder) => Buffer.from(folder))
  while (sum.files <= maxFiles) {
    const folder = queue.pop()
    if (folder === undefined) break
    for (const { path, isFolder } of await entriesOf(folder, sum)) {
      sum.files++
      if (isFolder) queue.push(path)
      else sum.bytes += (await lstat(path).catch(() => undefined))?.blocks ?? 0
    }
  }
  return { ...sum, bytes: sum.bytes * blockBytes }
}

// The app continues during the walk; removed entries count as zero.
const removed = new Set(['ENOENT', 'ENOTDIR'])

const entriesOf = async (folder: Buffer, sum: Usage): Promise<{ path: Buffer; isFolder: boolean }[]> => {
  try {
    const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' })
    return entries.map((entry) => ({
      path: Buffer.concat([folder, separator, entry.name]),
      isFolder: entry.isDirectory(),
    }))
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    if (!removed.has(code)) sum.unreadable = code
    return []
  }
}
