// The process table of Linux, as far as limits and clean endings need it: who belongs to a session, how much memory
// they hold, and who carries a given mark in the environment. Other systems answer with nothing.

import { readdirSync, readFileSync } from 'node:fs'

export type ProcessEntry = { pid: number; sessionId: number; threads: number; rssBytes: number }

const pageBytes = 4096

export const readProcessTable = (): ProcessEntry[] => {
  const entries: ProcessEntry[] = []
  for (const pid of listPids()) {
    const stat = readProc(`/proc/${pid}/stat`)
    const entry = stat === undefined ? undefined : parseStat(stat)
    if (entry) entries.push(entry)
  }
  return entries
}

// The name in parentheses may hold spaces and parentheses: fields are counted from behind it.
export const parseStat = (stat: string): ProcessEntry | undefined => {
  const end = stat.lastIndexOf(')')
  if (end < 0) return undefined
  const pid = Number.parseInt(stat, 10)
  const fields = stat.slice(end + 2).split(' ')
  const sessionId = Number(fields[3])
  const threads = Number(fields[17])
  const rssPages = Number(fields[21])
  if (![pid, sessionId, threads, rssPages].every(Number.isFinite)) return undefined
  return { pid, sessionId, threads, rssBytes: rssPages * pageBytes }
}

export type SessionUsage = { processes: number; rssBytes: number }

export const sessionUsage = (table: readonly ProcessEntry[], sessionId: number): SessionUsage => {
  const members = table.filter((entry) => entry.sessionId === sessionId)
  return { processes: members.length, rssBytes: members.reduce((sum, entry) => sum + entry.rssBytes, 0) }
}

// Finds processes by an environment entry they inherited, also those that left the session they were born in.
export const pidsWithEnv = (entry: string): number[] =>
  listPids().filter((pid) => {
    const environ = readProc(`/proc/${pid}/environ`)
    return environ?.split('\0').includes(entry) ?? false
  })

const listPids = (): number[] => {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

// A process may end between the listing and the reading; one of another user may not be readable.
const readProc = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
