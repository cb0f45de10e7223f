// Decides who may take a worker that is warm for another workspace. A process serves one workspace, so taking such a
// worker costs the other workspace a cold start, and a flood from one workspace would make all runs of the others cold.
// Therefore each active workspace has a share of the workers; above its share it takes only workers that no other
// workspace used recently. Pure.

/** How long a worker stays reserved for the workspace that used it last. */
export const reservedMs = 15_000

type Task = { team_id: string }
type ReservedWorker = { reserved_for: string | null; gpu_count: number }

export type FairShare = {
  mayTake(task: Task, worker: ReservedWorker): boolean
  matched(task: Task, worker: ReservedWorker): void
}

/** The number of workers that a workspace uses or used recently; `team_id` is null for the unreserved workers. */
export type WorkerUse = { team_id: string | null; has_gpu: boolean; workers: number }

const keyOf = (teamId: string, hasGpu: boolean): string => `${teamId} ${hasGpu}`

/** Workers with and without a GPU have separate shares: having the one kind does not count against the other. */
export const createFairShare = (uses: readonly WorkerUse[]): FairShare => {
  const used = new Map<string, number>()
  for (const { team_id, has_gpu, workers } of uses) if (team_id !== null) used.set(keyOf(team_id, has_gpu), workers)

  const change = (key: string, by: number): void => void used.set(key, (used.get(key) ?? 0) + by)

  /** The workers divided by the workspaces that have some, including this one. */
  const shareOf = (teamId: string, hasGpu: boolean): number => {
    const sameKind = uses.filter((use) => use.has_gpu === hasGpu)
    const teams = new Set([teamId, ...sameKind.flatMap(({ team_id }) => team_id ?? [])])
    const workers = sameKind.reduce((sum, use) => sum + use.workers, 0)
    return Math.max(1, Math.floor(workers / teams.size))
  }

  return {
    mayTake: ({ team_id: teamId }, { reserved_for, gpu_count }) => {
      if (reserved_for === null || reserved_for === teamId) return true
      const hasGpu = gpu_count > 0
      return (used.get(keyOf(teamId, hasGpu)) ?? 0) < shareOf(teamId, hasGpu)
    },
    matched: ({ team_id: teamId }, { reserved_for, gpu_count }) => {
      if (reserved_for === teamId) return
      change(keyOf(teamId, gpu_count > 0), 1)
      if (reserved_for !== null) change(keyOf(reserved_for, gpu_count > 0), -1)
    },
  }
}
