// The bus of a single process.
import { apart } from '../db/work.ts'
import type { Bus } from './bus.ts'

export const createMemoryBus = (onError: (error: unknown) => void): Bus => {
  const listeners = new Map<string, Set<(data: unknown) => void>>()
  return {
    publish: (subject, data) => {
      for (const listener of listeners.get(subject) ?? []) {
        // One listener's fault must not keep the news from the others, and none of them works for who happened to publish.
        try {
          apart(() => listener(data))
        } catch (error) {
          onError(error)
        }
      }
    },
    isHeard: (subject) => listeners.has(subject),
    subscribe: (subject, listener) => {
      const set = listeners.get(subject) ?? new Set()
      listeners.set(subject, set.add(listener))
      return () => {
        set.delete(listener)
        if (set.size === 0) listeners.delete(subject)
      }
    },
  }
}
