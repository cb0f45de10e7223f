// Reserves the last idle shared worker for active workspaces: a workspace that has a worker does not take it while
// another active workspace has none. Otherwise two long runs of one workspace could occupy all workers until they end.
// The insert of a task has the same rule in SQL (last-worker-store.ts). Pure except for its state.
import type { OtherWorkspaces } from '../tasks/service.ts'
import type { ActiveWorkspaces } from './active-workspaces.ts'
import type { IdleWorker, MatchRule, QueuedTask } from './matching.ts'

/** Shared workers by kind and by the workspace that uses them; `team_id` is null for the idle ones. */
export type SharedUse = { has_gpu: boolean; team_id: string | null; workers: number }

type Worker = Pick<IdleWorker, 'infra' | 'active_session_id' | 'gpu_count'>

const kindOf = ({ gpu_count }: Worker): keyof OtherWorkspaces => (gpu_count > 0 ? 'gpu' : 'cpu')

const isShared = ({ infra, active_session_id }: Worker): boolean => infra === 'cloud' && active_session_id === null

/** Whether the tasks could take the last idle worker that another workspace needs. Only then is the use of workers read. */
export const mayTakeLast = (
  tasks: readonly Pick<QueuedTask, 'team_id'>[],
  workers: readonly Worker[],
  others: (teamId: string) => OtherWorkspaces,
): boolean =>
  (['cpu', 'gpu'] as const).some((kind) => {
    const idle = workers.filter((worker) => isShared(worker) && kindOf(worker) === kind).length
    return idle > 0 && idle <= tasks.length && tasks.some(({ team_id }) => others(team_id)[kind].length > 0)
  })

/** The rule for one batch. */
export const createLastWorker = (uses: readonly SharedUse[], active: ActiveWorkspaces, nowMs: number): MatchRule => {
  const useOf = (hasGpu: boolean) => {
    const sameKind = uses.filter(({ has_gpu }) => has_gpu === hasGpu)
    const idle = sameKind.reduce((sum, { team_id, workers }) => sum + (team_id === null ? workers : 0), 0)
    return { idle, holders: new Set(sameKind.flatMap(({ team_id }) => team_id ?? [])) }
  }
  const inUse = { cpu: useOf(false), gpu: useOf(true) }

  return {
    mayTake: ({ team_id }, worker) => {
      if (!isShared(worker)) return true
      const kind = kindOf(worker)
      const { idle, holders } = inUse[kind]
      if (idle > 1 || !holders.has(team_id)) return true
      return active.others(team_id, nowMs)[kind].every((id) => holders.has(id))
    },
    matched: (task, worker) => {
      if (!isShared(worker)) return
      const use = inUse[kindOf(worker)]
      use.idle -= 1
      use.holders.add(task.team_id)
      active.ran(task, nowMs)
    },
  }
}
