// Who may take a worker that is warm for somebody else. A process serves one workspace, so taking such a worker costs its next
// user a cold start; a workspace that floods would make every run of every other one cold. So each has a share of the workers
// for as long as it uses them, and beyond it takes only what nobody else has used for a moment. Pure.

/** How long a worker is left to the workspace that used it last. */
export const keptMs = 15_000

type Asking = { team_id: string }
type KeptWorker = { kept_for: string | null; gpu_count: number }

export type Shares = {
  mayTake(task: Asking, worker: KeptWorker): boolean
  took(task: Asking, worker: KeptWorker): void
}

/** How many workers a workspace uses or used a moment ago; those that nobody did have no workspace. */
export type Holding = { team_id: string | null; has_gpu: boolean; workers: number }

const keyOf = (teamId: string, hasGpu: boolean): string => `${teamId} ${hasGpu}`

/** Workers with and without a GPU are shared out separately: who has the ones does not have the others. */
export const createShares = (holdings: readonly Holding[]): Shares => {
  const held = new Map<string, number>()
  for (const { team_id, has_gpu, workers } of holdings) if (team_id !== null) held.set(keyOf(team_id, has_gpu), workers)

  const change = (key: string, by: number): void => void held.set(key, (held.get(key) ?? 0) + by)

  /** Of whoever has some already, and of the one that asks. */
  const shareOf = (teamId: string, hasGpu: boolean): number => {
    const alike = holdings.filter((holding) => holding.has_gpu === hasGpu)
    const holders = new Set([teamId, ...alike.flatMap(({ team_id }) => team_id ?? [])])
    const workers = alike.reduce((sum, holding) => sum + holding.workers, 0)
    return Math.max(1, Math.floor(workers / holders.size))
  }

  return {
    mayTake: ({ team_id: teamId }, { kept_for, gpu_count }) => {
      if (kept_for === null || kept_for === teamId) return true
      const hasGpu = gpu_count > 0
      return (held.get(keyOf(teamId, hasGpu)) ?? 0) < shareOf(teamId, hasGpu)
    },
    took: ({ team_id: teamId }, { kept_for, gpu_count }) => {
      if (kept_for === teamId) return
      change(keyOf(teamId, gpu_count > 0), 1)
      if (kept_for !== null) change(keyOf(kept_for, gpu_count > 0), -1)
    },
  }
}
