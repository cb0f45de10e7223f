// A bounded set of recent keys; the oldest is evicted.
import { LRUCache } from 'lru-cache'

export type RecentSet = { has(key: string): boolean; add(key: string): void }

export const createRecentSet = (nowMs: () => number, { ageMs, most }: { ageMs: number; most: number }): RecentSet => {
  const addedMs = new LRUCache<string, number>({ max: most })
  return {
    has: (key) => {
      // `peek`, so that a lookup does not extend an entry's lifetime.
      const at = addedMs.peek(key)
      if (at === undefined) return false
      const age = nowMs() - at
      // A clock that was set back must not extend an entry's lifetime.
      if (age >= 0 && age < ageMs) return true
      addedMs.delete(key)
      return false
    },
    add: (key) => {
      addedMs.set(key, nowMs())
    },
  }
}
