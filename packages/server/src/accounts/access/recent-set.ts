// What was seen a moment ago, and no more of it than fits: the oldest makes room.
import { LRUCache } from 'lru-cache'

export type RecentSet = { has(key: string): boolean; add(key: string): void }

export const createRecentSet = (nowMs: () => number, { ageMs, most }: { ageMs: number; most: number }): RecentSet => {
  const addedMs = new LRUCache<string, number>({ max: most })
  return {
    has: (key) => {
      // Having been looked for keeps nothing any longer.
      const at = addedMs.peek(key)
      if (at === undefined) return false
      const age = nowMs() - at
      // A clock that was put back must not keep anything for longer.
      if (age >= 0 && age < ageMs) return true
      addedMs.delete(key)
      return false
    },
    add: (key) => {
      addedMs.set(key, nowMs())
    },
  }
}
