// Samples the sessions of busy app processes and reports the first limit each one crosses. One timer for the whole
// engine, running only while somebody is watched; runs shorter than one interval are never sampled at all.

import { type FamilyUsage, familyUsage, readProcessTable } from './process-table.ts'

export type Watched = {
  sessionId: number
  limits: { memoryBytes: number; processes: number }
  onOver: (what: string) => void
}

const sampleIntervalMs = 500

export type LimitWatch = { add: (watched: Watched) => () => void }

export const makeLimitWatch = (): LimitWatch => {
  const watched = new Set<Watched>()
  let timer: NodeJS.Timeout | undefined

  const sample = () => {
    const table = readProcessTable()
    for (const one of watched) {
      const over = crossedLimit(familyUsage(table, one.sessionId), one.limits)
      if (over) {
        watched.delete(one)
        one.onOver(over)
      }
    }
    stopWhenUnused()
  }

  const stopWhenUnused = () => {
    if (watched.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    add: (one) => {
      watched.add(one)
      timer ??= setInterval(sample, sampleIntervalMs).unref()
      return () => {
        watched.delete(one)
        stopWhenUnused()
      }
    },
  }
}

export const crossedLimit = (usage: FamilyUsage, limits: Watched['limits']): string | undefined => {
  if (usage.rssBytes > limits.memoryBytes) return `memory limit of ${Math.round(limits.memoryBytes / 1e6)} MB exceeded`
  if (usage.processes > limits.processes) return `limit of ${limits.processes} processes exceeded`
  return undefined
}
