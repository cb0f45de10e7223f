// Samples the descendants of each app process and reports the first exceeded limit: often during calls, rarely while
// all are idle. One timer serves the whole engine. Runs shorter than one interval are never sampled.

import type { ProcessLimits } from '../runtimes/runtime.ts'
import { type ControlGroup, idleMemoryMessage, memoryMessage } from './control-groups.ts'
import { readMark } from './process-mark.ts'
import { type FamilyUsage, familyOf, familyUsage, type ProcessEntry, readProcessTable } from './process-table.ts'

export type Watched = {
  sessionId: number
  mark?: number | undefined
  // With a cgroup, the group defines which processes belong to the app, and the kernel enforces the limits between two
  // samples.
  group?: ControlGroup | undefined
  limits: ProcessLimits
  onOver: (what: string) => void
}

// `work` is called at the start of a call; the function that it returns, at the end.
export type Watch = {
  work: () => () => void
  end: () => void
  /** The process with its descendants, now. */
  pids: () => number[]
}
export type LimitWatch = { add: (watched: Watched) => Watch }

export type WatchTimes = { workingMs: number; idleMs: number }
const watchTimes: WatchTimes = { workingMs: 500, idleMs: 5_000 }

// The idle limits apply this long after a call, so that a process with one task after another is not affected.
const quietMs = 250

type One = Watched & {
  calls: number
  quiet?: NodeJS.Timeout
  before?: { cpuMs: number; atMs: number }
  busyIdleSamples: number
}

export const createLimitWatch = (times: WatchTimes = watchTimes): LimitWatch => {
  const all = new Set<One>()
  const byMark = rememberMarks()
  let working = 0
  let timer: NodeJS.Timeout | undefined
  let pace = 0

  const sample = () => {
    const table = readProcessTable()
    const marked = byMark(table)
    const nowMs = performance.now()
    for (const one of all) {
      const usage = familyUsage(table, one.sessionId, knownMembers(one, table, marked))
      const over =
        one.group?.overLimit() ??
        crossedLimit(usage, one.limits) ??
        (one.calls > 0 ? undefined : crossedAtRest(one, usage, nowMs))
      if (!over) continue
      all.delete(one)
      one.onOver(over)
    }
    keepPace()
  }

  const keepPace = () => {
    const wanted = all.size === 0 ? 0 : working > 0 ? times.workingMs : times.idleMs
    if (wanted === pace) return
    clearInterval(timer)
    pace = wanted
    timer = wanted === 0 ? undefined : setInterval(sample, wanted).unref()
  }

  return {
    add: (watched) => {
      const one: One = { ...watched, calls: 0, busyIdleSamples: 0 }
      all.add(one)
      keepPace()
      return {
        work: () => {
          one.calls++
          working++
          clearTimeout(one.quiet)
          one.group?.wake()
          delete one.before
          one.busyIdleSamples = 0
          if (working === 1) keepPace()
          let over = false
          return () => {
            if (over) return
            over = true
            one.calls--
            // The interval grows at the next sample, so a worker with one task after another keeps its timer.
            working--
            const { calls, group } = one
            if (calls === 0 && group) one.quiet = setTimeout(group.applyIdleLimits, quietMs).unref()
          }
        },
        pids: () => {
          const table = readProcessTable()
          return [...familyOf(table, one.sessionId, knownMembers(one, table, byMark(table)))].map(({ pid }) => pid)
        },
        end: () => {
          clearTimeout(one.quiet)
          all.delete(one)
        },
      }
    },
  }
}

const knownMembers = (
  { mark, group }: One,
  table: readonly ProcessEntry[],
  marked: ReadonlyMap<number | undefined, readonly ProcessEntry[]>,
): readonly ProcessEntry[] => {
  const inside = new Set(group?.pids())
  return [
    ...(mark === undefined ? [] : (marked.get(mark) ?? [])),
    ...(inside.size === 0 ? [] : table.filter(({ pid }) => inside.has(pid))),
  ]
}

// The mark exists from the start, so it is read once per process.
const rememberMarks = () => {
  let known = new Map<string, number | undefined>()
  return (table: readonly ProcessEntry[]): ReadonlyMap<number | undefined, readonly ProcessEntry[]> => {
    const seen = new Map<string, number | undefined>()
    for (const { pid, startedAt } of table) {
      const name = `${pid} ${startedAt}`
      seen.set(name, known.has(name) ? known.get(name) : readMark(pid))
    }
    known = seen
    return Map.groupBy(table, ({ pid, startedAt }) => seen.get(`${pid} ${startedAt}`))
  }
}

export const crossedLimit = (
  usage: Omit<FamilyUsage, 'cpuMs'>,
  limits: Pick<ProcessLimits, 'memoryBytes' | 'processes'>,
): string | undefined => {
  if (usage.rssBytes > limits.memoryBytes) return memoryMessage(limits)
  if (usage.processes > limits.processes) return `limit of ${limits.processes} processes exceeded`
  return undefined
}

// One busy sample after a call may be remaining work of that call; two in a row are a violation.
const maxBusyIdleSamples = 1

const crossedAtRest = (one: One, usage: FamilyUsage, nowMs: number): string | undefined => {
  const { before } = one
  one.before = { cpuMs: usage.cpuMs, atMs: nowMs }
  if (usage.rssBytes > one.limits.idleMemoryBytes) return idleMemoryMessage(one.limits)
  if (!before) return undefined
  const share = (usage.cpuMs - before.cpuMs) / (nowMs - before.atMs)
  one.busyIdleSamples = share > one.limits.idleCpuShare ? one.busyIdleSamples + 1 : 0
  return one.busyIdleSamples > maxBusyIdleSamples ? 'the app kept the processor busy between tasks' : undefined
}
