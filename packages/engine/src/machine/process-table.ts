// Reads the process table of Linux for limits and cleanup: members of a session, their memory, and processes with a
// given mark in the environment. Other systems return nothing.

import { readdirSync, readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { readMark } from './process-mark.ts'

export type ProcessEntry = {
  pid: number
  parentId: number
  sessionId: number
  // In ticks since boot. Distinguishes processes, because process ids are reused.
  startedAt: number
  threads: number
  rssBytes: number
  // Of the process and its ended children.
  cpuMs: number
}

/** The page size in the auxiliary vector of this process; on arm64 it can be 16 or 64 kB. */
export const pageBytesIn = (auxv: Buffer): number => {
  const pageSize = 6n
  for (let at = 0; at + 16 <= auxv.length; at += 16)
    if (auxv.readBigUInt64LE(at) === pageSize) return Number(auxv.readBigUInt64LE(at + 8))
  return 4096
}

const readAuxiliary = (): Buffer => {
  try {
    return readFileSync('/proc/self/auxv')
  } catch {
    return Buffer.alloc(0)
  }
}

const ownPageBytes = pageBytesIn(readAuxiliary())
const tickMs = 10

export const readProcessTable = (): ProcessEntry[] => {
  const entries: ProcessEntry[] = []
  for (const pid of listPids()) {
    const stat = readProc(`/proc/${pid}/stat`)
    const entry = stat === undefined ? undefined : parseStat(stat)
    if (entry) entries.push(entry)
  }
  return entries
}

// The name in parentheses may contain spaces and parentheses, so fields are counted after the last one.
export const parseStat = (stat: string, pageBytes = ownPageBytes): ProcessEntry | undefined => {
  const end = stat.lastIndexOf(')')
  if (end < 0) return undefined
  const pid = Number.parseInt(stat, 10)
  const fields = stat.slice(end + 2).split(' ')
  const parentId = Number(fields[1])
  const sessionId = Number(fields[3])
  const threads = Number(fields[17])
  const startedAt = Number(fields[19])
  const rssPages = Number(fields[21])
  const cpuTicks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  if (![pid, parentId, sessionId, startedAt, threads, rssPages, cpuTicks].every(Number.isFinite)) return undefined
  return { pid, parentId, sessionId, startedAt, threads, rssBytes: rssPages * pageBytes, cpuMs: cpuTicks * tickMs }
}

export type FamilyUsage = { processes: number; rssBytes: number; cpuMs: number }

// The members of a session, processes with its mark, and their descendants in other sessions. In a sandbox with its own
// process ids, orphans stay included, because their new parent is the sandbox's first process.
export const familyOf = (
  table: readonly ProcessEntry[],
  sessionId: number,
  marked: readonly ProcessEntry[],
): ReadonlySet<ProcessEntry> => {
  const childrenOf = Map.groupBy(table, (entry) => entry.parentId)
  const family = new Set([...table.filter((entry) => entry.sessionId === sessionId), ...marked])
  // A Set iterates over entries that are added during the iteration.
  for (const member of family) for (const child of childrenOf.get(member.pid) ?? []) family.add(child)
  return family
}

export const familyUsage = (
  table: readonly ProcessEntry[],
  sessionId: number,
  marked: readonly ProcessEntry[] = [],
): FamilyUsage => {
  const family = familyOf(table, sessionId, marked)
  const sumOf = (member: 'rssBytes' | 'cpuMs') => [...family].reduce((sum, entry) => sum + entry[member], 0)
  return { processes: family.size, rssBytes: sumOf('rssBytes'), cpuMs: sumOf('cpuMs') }
}

// The unit of `blocks`, independent of the file system's block size. A sparse file counts only its allocated blocks.
export const blockBytes = 512

// Bytes of open files that were unlinked or never had a name, which use disk or memory that neither a walk nor a sum over processes finds.
// Undefined when too many files are open.
export const measureUnlinkedBytes = async (sessionId: number, mark?: number): Promise<number | undefined> => {
  const found = new Map<string, number>()
  const table = readProcessTable()
  const marked = mark === undefined ? [] : table.filter(({ pid }) => readMark(pid) === mark)
  let descriptorCount = 0
  for (const { pid } of familyOf(table, sessionId, marked)) {
    const descriptors = listNames(`/proc/${pid}/fd`)
    descriptorCount += descriptors.length
    if (descriptorCount > maxDescriptors) return undefined
    for (const descriptor of descriptors) {
      const file = await stat(`/proc/${pid}/fd/${descriptor}`).catch(() => undefined)
      if (file?.isFile() && file.nlink === 0) found.set(`${file.dev} ${file.ino}`, file.blocks * blockBytes)
    }
  }
  return [...found.values()].reduce((sum, bytes) => sum + bytes, 0)
}

export const maxDescriptors = 10_000

// Finds processes by an inherited environment variable, including those that left their session.
export const pidsWithEnv = (entry: string): number[] =>
  listPids().filter((pid) => {
    const environ = readProc(`/proc/${pid}/environ`)
    return environ?.split('\0').includes(entry) ?? false
  })

// Skips zombies: they keep their limits and cannot be killed again.
export const pidsMarked = (isMeant: (mark: number) => boolean): number[] =>
  listPids().filter((pid) => {
    const mark = readMark(pid)
    return mark !== undefined && isMeant(mark) && !hasEnded(pid)
  })

const hasEnded = (pid: number): boolean => {
  const stat = readProc(`/proc/${pid}/stat`) ?? ''
  return 'ZX'.includes(stat.charAt(stat.lastIndexOf(')') + 2))
}

const listPids = (): number[] => listNames('/proc').map(Number).filter(Number.isInteger)

const listNames = (folder: string): string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

// A process may end between listing and reading, and one of another user may be unreadable.
const readProc = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
