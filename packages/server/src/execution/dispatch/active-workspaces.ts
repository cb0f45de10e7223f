// Remembers which workspaces ran on the shared workers lately. Kept in memory, by every server for the runs that it
// assigns: losing it on a restart lets one workspace take all workers once.
import { LRUCache } from 'lru-cache'
import { perPlatform } from '#platform/core/per-platform.ts'
import type { OtherWorkspaces } from '../tasks/service.ts'

/** A workspace is active for this long after its last run on a shared worker. */
export const activeMs = 60_000
const maxEntries = 10_000
/** The most recent ones suffice to find one that has no worker. */
const maxOthers = 32

type Task = { readonly team_id: string; readonly gpu_count: number | bigint | string }

export type ActiveWorkspaces = {
  /** A task got a shared worker. */
  ran(task: Task, nowMs: number): void
  /** The other active workspaces, the latest first. Empty while this one is alone. */
  others(teamId: string, nowMs: number): OtherWorkspaces
}

export const createActiveWorkspaces = (): ActiveWorkspaces => {
  const seen = {
    cpu: new LRUCache<string, number>({ max: maxEntries }),
    gpu: new LRUCache<string, number>({ max: maxEntries }),
  }

  const othersOf = (latest: LRUCache<string, number>, teamId: string, nowMs: number): string[] => {
    const others: string[] = []
    // From the latest to the earliest.
    for (const [id, atMs] of latest.entries()) {
      if (nowMs - atMs >= activeMs || others.length === maxOthers) break
      if (id !== teamId) others.push(id)
    }
    return others
  }

  return {
    ran: ({ team_id, gpu_count }, nowMs) => void seen[Number(gpu_count) > 0 ? 'gpu' : 'cpu'].set(team_id, nowMs),
    others: (teamId, nowMs) => ({
      cpu: othersOf(seen.cpu, teamId, nowMs),
      gpu: othersOf(seen.gpu, teamId, nowMs),
    }),
  }
}

/** Those of a server. */
export const activeWorkspaces = perPlatform(createActiveWorkspaces)
