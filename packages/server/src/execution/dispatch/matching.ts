// Matches queued tasks to idle workers by resources, access, affinity and the concurrency limits of workspaces. Pure.
import { shortId } from '@millrace/contract/ids'
import { fits, type ResourceNeeds, type WorkerResources } from './resources.ts'

export type QueuedTask = ResourceNeeds & {
  id: string
  team_id: string
  user_id: string
  app_id: string
  app_version_id: string
  infra: string
  workers: readonly string[]
  warm_key: string
  available_at: string
  session_id: string | null
  /** The worker bound to the task's session, if any. */
  session_worker_id: string | null
}

export type IdleWorker = WorkerResources & {
  id: string
  engine_id: string
  /** `<engine name>-cpu-<n>` or `-gpu-<n>`. */
  label: string
  infra: 'cloud' | 'private'
  engine_team_id: string
  engine_user_id: string
  engine_visibility: string
  warm_apps: readonly string[]
  idle_since: string | null
  active_session_id: string | null
  /** The workspace that used the worker recently and has a warm process on it. */
  reserved_for: string | null
  /** The cards that other workers have, too, and the GPU memory per card that tasks of those workers leave. */
  shared_gpus: readonly string[]
  gpu_room: number
}

/** The label that people use for a worker: `mill-gpu-0`. */
export const workerLabel = (engineName: string, worker: { gpu_count: number; number: number }): string =>
  `${engineName}-${worker.gpu_count > 0 ? 'gpu' : 'cpu'}-${worker.number}`

/** How many more tasks may start, for workspaces with a limit. */
export type Slots = ReadonlyMap<string, number>

/** A further rule that can exclude a worker from a task. It is notified of every match. */
export type MatchRule = {
  mayTake(task: QueuedTask, worker: IdleWorker): boolean
  matched(task: QueuedTask, worker: IdleWorker): void
}

/**
 * Expects tasks in queue order and workers with the longest idle first; each worker gets at most one task. Tasks of a
 * session run one after another, so only the first of each session is considered.
 */
export const matchTasks = <T extends QueuedTask, W extends IdleWorker>(
  tasks: readonly T[],
  workers: readonly W[],
  slots: Slots,
  rules: readonly MatchRule[] = [],
): { task: T; worker: W }[] => {
  const free = new Map(workers.map((worker) => [worker.id, worker]))
  const remaining = new Map(slots)
  const sessions = new Set<string>()
  const matches: { task: T; worker: W }[] = []
  for (const task of tasks) {
    if (free.size === 0) break
    const slotsLeft = remaining.get(task.team_id)
    if (slotsLeft === 0 || (task.session_id !== null && sessions.has(task.session_id))) continue
    if (task.session_id !== null) sessions.add(task.session_id)
    const worker = best(
      task,
      [...free.values()].filter((worker) => rules.every((rule) => rule.mayTake(task, worker))),
    )
    if (!worker) continue
    free.delete(worker.id)
    for (const rule of rules) rule.matched(task, worker)
    if (slotsLeft !== undefined) remaining.set(task.team_id, slotsLeft - 1)
    matches.push({ task, worker })
  }
  return matches
}

const best = <W extends IdleWorker>(task: QueuedTask, workers: readonly W[]): W | undefined => {
  const able = workers.filter((worker) => mayTake(task, worker) && fits(task, worker))
  const preferred =
    task.infra === 'private_first' ? able.filter((worker) => worker.engine_team_id === task.team_id) : []
  const candidates = preferred.length > 0 ? preferred : able
  // The sort is stable, so the longest idle stays first among equals.
  return [...candidates].sort(
    (a, b) =>
      Number(isReservedForOther(task, a)) - Number(isReservedForOther(task, b)) ||
      affinity(task, b) - affinity(task, a),
  )[0]
}

const isReservedForOther = (task: QueuedTask, { reserved_for }: IdleWorker): boolean =>
  reserved_for !== null && reserved_for !== task.team_id

const mayTake = (task: QueuedTask, worker: IdleWorker): boolean => {
  if (task.session_worker_id !== null) return worker.id === task.session_worker_id
  // A leased worker serves only its session.
  if (worker.active_session_id !== null && worker.active_session_id !== task.session_id) return false
  const own = worker.engine_team_id === task.team_id && mayUseEngine(task, worker)
  const named =
    task.workers.length === 0 ||
    task.workers.some((name) => name === worker.id || name === worker.label || name === shortId(worker.id))
  switch (task.infra) {
    case 'private':
      return own && named
    case 'private_first':
      return (own && named) || worker.infra === 'cloud'
    default:
      return worker.infra === 'cloud'
  }
}

/** A private engine runs the tasks of its owner only. */
const mayUseEngine = ({ user_id }: QueuedTask, { engine_visibility, engine_user_id }: IdleWorker): boolean =>
  engine_visibility !== 'private' || engine_user_id === user_id

/** Prefers the same setup, then the same version, then the same app. */
const affinity = (task: QueuedTask, worker: IdleWorker): number => {
  if (worker.warm_apps.includes(task.warm_key)) return 3
  const version = `${task.app_id}:${task.app_version_id}@`
  if (worker.warm_apps.some((key) => key.startsWith(version))) return 2
  return worker.warm_apps.some((key) => key.startsWith(`${task.app_id}:`)) ? 1 : 0
}
