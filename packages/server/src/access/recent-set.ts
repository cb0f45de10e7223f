// What was seen a moment ago, and no more of it than fits: the oldest makes room.

export type RecentSet = { has(key: string): boolean; add(key: string): void }

export const createRecentSet = (nowMs: () => number, { ageMs, most }: { ageMs: number; most: number }): RecentSet => {
  /** In the order in which they were added. */
  const addedMs = new Map<string, number>()
  return {
    has: (key) => {
      const at = addedMs.get(key)
      if (at === undefined) return false
      const age = nowMs() - at
      // A clock that was put back must not keep anything for longer.
      if (age >= 0 && age < ageMs) return true
      addedMs.delete(key)
      return false
    },
    add: (key) => {
      addedMs.delete(key)
      addedMs.set(key, nowMs())
      const [oldest] = addedMs.keys()
      if (addedMs.size > most && oldest !== undefined) addedMs.delete(oldest)
    },
  }
}
