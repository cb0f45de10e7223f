// Who was served last: of workspaces that have equally little on the engines, the one that was served longest ago is next.
// Kept in memory, because a server that forgets it is only unfair once.
import { LRUCache } from 'lru-cache'

const mostRemembered = 10_000

export type Turns = {
  /** The same tasks, those of the workspace whose turn it is first; within one turn of one workspace as they wait. */
  inOrder<T extends { team_id: string; turn: number }>(tasks: readonly T[]): T[]
  served(teamId: string): void
}

export const createTurns = (): Turns => {
  const lastServed = new LRUCache<string, number>({ max: mostRemembered })
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
