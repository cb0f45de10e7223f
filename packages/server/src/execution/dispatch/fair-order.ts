// Orders workspaces with equally few running tasks by the time they were last served. Kept in memory: losing it on a
// restart is unfair only once.
import { LRUCache } from 'lru-cache'

const maxEntries = 10_000

export type FairOrder = {
  /**
   * Sorts tasks by turn, then by workspace (served longest ago first). The order within a turn of one workspace is
   * preserved.
   */
  inOrder<T extends { team_id: string; turn: number }>(tasks: readonly T[]): T[]
  served(teamId: string): void
}

export const createFairOrder = (): FairOrder => {
  const lastServed = new LRUCache<string, number>({ max: maxEntries })
  let count = 0
  const since = (teamId: string): number => lastServed.peek(teamId) ?? 0
  return {
    inOrder: (tasks) => tasks.toSorted((a, b) => a.turn - b.turn || since(a.team_id) - since(b.team_id)),
    served: (teamId) => {
      count += 1
      lastServed.set(teamId, count)
    },
  }
}
