// Checks one entry of a bundle before anything is written: its target path and whether it is a regular file.

import { posix } from 'node:path'

export type EntryFacts = {
  fileName: string
  externalFileAttributes: number
  uncompressedSize: number
  compressedSize: number
}
export type EntryVerdict =
  | { kind: 'folder'; path: string }
  | { kind: 'file'; path: string; mode: number }
  | { kind: 'left out' }
  | { kind: 'refused'; reason: string }

// Only the operator configures installers, and npm would read this file first.
const configurations = new Set(['.npmrc'])

const typeMask = 0o170000
const folderType = 0o040000
const fileType = 0o100000

export const judgeEntry = (entry: EntryFacts): EntryVerdict => {
  const name = entry.fileName
  if (name.includes('\0') || name.includes('\\'))
    return { kind: 'refused', reason: `the name ${JSON.stringify(name)} is not allowed` }
  if (name.startsWith('/') || /^[a-z]:/i.test(name))
    return { kind: 'refused', reason: `${JSON.stringify(name)} is an absolute path` }
  const path = posix.normalize(name)
  if (path === '..' || path.startsWith('../'))
    return { kind: 'refused', reason: `${JSON.stringify(name)} leads out of the bundle` }
  const mode = entry.externalFileAttributes >>> 16
  const type = mode & typeMask
  if (name.endsWith('/') || type === folderType) return { kind: 'folder', path }
  if (type !== 0 && type !== fileType)
    return { kind: 'refused', reason: `${JSON.stringify(name)} is a link or a special file` }
  if (configurations.has(path.toLowerCase())) return { kind: 'left out' }
  return { kind: 'file', path, mode: mode & 0o111 ? 0o755 : 0o644 }
}

export type BundleLimits = { archiveBytes: number; extractedBytes: number; entries: number }

export const bundleLimits: BundleLimits = { archiveBytes: 1024 ** 3, extractedBytes: 4 * 1024 ** 3, entries: 100_000 }
