// Samples the families of app processes and reports the first limit each one crosses: often while one works, and now and
// then while all rest. One timer for the whole engine; runs shorter than one interval are never sampled at all.

import { readMark } from './process-mark.ts'
import { type FamilyUsage, familyUsage, type ProcessEntry, readProcessTable } from './process-table.ts'

export type Limits = { memoryBytes: number; processes: number; idleMemoryBytes: number; idleCpuShare: number }
export type Watched = { sessionId: number; mark?: number | undefined; limits: Limits; onOver: (what: string) => void }

// `work` says that a call has begun, and what it returns, that it has ended.
export type Watch = { work: () => () => void; end: () => void }
export type LimitWatch = { add: (watched: Watched) => Watch }

export type WatchTimes = { workingMs: number; restingMs: number }
const watchTimes: WatchTimes = { workingMs: 500, restingMs: 5_000 }

type One = Watched & { calls: number; before?: { cpuMs: number; atMs: number }; busyRests: number }

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
      const usage = familyUsage(table, one.sessionId, one.mark === undefined ? [] : marked.get(one.mark))
      const over = crossedLimit(usage, one.limits) ?? (one.calls > 0 ? undefined : crossedAtRest(one, usage, nowMs))
      if (!over) continue
      all.delete(one)
      one.onOver(over)
    }
    keepPace()
  }

  const keepPace = () => {
    const wanted = all.size === 0 ? 0 : working > 0 ? times.workingMs : times.restingMs
    if (wanted === pace) return
    clearInterval(timer)
    pace = wanted
    timer = wanted === 0 ? undefined : setInterval(sample, wanted).unref()
  }

  return {
    add: (watched) => {
      const one: One = { ...watched, calls: 0, busyRests: 0 }
      all.add(one)
      keepPace()
      return {
        work: () => {
          one.calls++
          working++
          delete one.before
          one.busyRests = 0
          if (working === 1) keepPace()
          let over = false
          return () => {
            if (over) return
            over = true
            one.calls--
            // The pace slows down at the next sample: a worker that is given one task after another keeps its timer.
            working--
          }
        },
        end: () => {
          all.delete(one)
        },
      }
    },
  }
}

// A mark is there from the beginning, so each process is asked once.
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
  limits: Pick<Limits, 'memoryBytes' | 'processes'>,
): string | undefined => {
  if (usage.rssBytes > limits.memoryBytes) return `memory limit of ${Math.round(limits.memoryBytes / 1e6)} MB exceeded`
  if (usage.processes > limits.processes) return `limit of ${limits.processes} processes exceeded`
  return undefined
}

// One busy moment after a call may be what the call left to do; two in a row are work nobody asked for.
const busyRestsAllowed = 1

const crossedAtRest = (one: One, usage: FamilyUsage, nowMs: number): string | undefined => {
  const { before } = one
  one.before = { cpuMs: usage.cpuMs, atMs: nowMs }
  if (usage.rssBytes > one.limits.idleMemoryBytes)
    return `memory limit of ${Math.round(one.limits.idleMemoryBytes / 1e6)} MB between tasks exceeded`
  if (!before) return undefined
  const share = (usage.cpuMs - before.cpuMs) / (nowMs - before.atMs)
  one.busyRests = share > one.limits.idleCpuShare ? one.busyRests + 1 : 0
  return one.busyRests > busyRestsAllowed ? 'the app kept the processor busy between tasks' : undefined
}
