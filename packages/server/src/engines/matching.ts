// Which waiting task goes to which idle worker. Pure: fit, reach, affinity and the concurrency of workspaces.
import { fits, labelWorkers, type Needs, type Offer } from '../tasks/service.ts'

export type WaitingTask = Needs & {
  id: string
  team_id: string
  app_id: string
  app_version_id: string
  infra: string
  workers: readonly string[]
  warm_key: string
  session_id: string | null
  /** Worker of the task's session once one is bound. */
  session_worker_id: string | null
}

export type IdleWorker = Offer & {
  id: string
  index: number
  engine_id: string
  name: string
  infra: 'cloud' | 'private'
  engine_team_id: string
  warm_apps: readonly string[]
  active_session_id: string | null
}

export type Slots = ReadonlyMap<string, { running: number; limit: number | null }>

/** Tasks in the order they wait, workers idle longest first; each worker gets at most one task. */
export const matchTasks = (tasks: readonly WaitingTask[], workers: readonly IdleWorker[], slots: Slots) => {
  const free = new Map(labelWorkers(workers).map((worker) => [worker.id, worker]))
  const started = new Map<string, number>()
  const matches: { task: WaitingTask; worker: IdleWorker }[] = []
  for (const task of tasks) {
    if (free.size === 0) break
    const slot = slots.get(task.team_id)
    const running = (slot?.running ?? 0) + (started.get(task.team_id) ?? 0)
    if (slot?.limit != null && running >= slot.limit) continue
    const worker = best(task, [...free.values()])
    if (!worker) continue
    free.delete(worker.id)
    started.set(task.team_id, (started.get(task.team_id) ?? 0) + 1)
    matches.push({ task, worker })
  }
  return matches
}

const best = (task: WaitingTask, workers: readonly (IdleWorker & { label: string })[]) => {
  const able = workers.filter((worker) => mayTake(task, worker) && fits(task, worker))
  const preferred =
    task.infra === 'private_first' ? able.filter((worker) => worker.engine_team_id === task.team_id) : []
  const candidates = preferred.length > 0 ? preferred : able
  // A stable sort keeps the longest idle first among equals.
  return [...candidates].sort((a, b) => affinity(task, b) - affinity(task, a))[0]
}

const mayTake = (task: WaitingTask, worker: IdleWorker & { label: string }): boolean => {
  if (task.session_worker_id !== null) return worker.id === task.session_worker_id
  // A leased worker serves its session only.
  if (worker.active_session_id !== null && worker.active_session_id !== task.session_id) return false
  const own = worker.engine_team_id === task.team_id
  const named =
    task.workers.length === 0 ||
    task.workers.some((name) => name === worker.id || name === worker.label || worker.id.startsWith(name))
  switch (task.infra) {
    case 'private':
      return own && named
    case 'private_first':
      return (own && named) || worker.infra === 'cloud'
    default:
      return worker.infra === 'cloud'
  }
}

/** Set up for exactly this, then the same version, then the same app. */
const affinity = (task: WaitingTask, worker: IdleWorker): number => {
  if (worker.warm_apps.includes(task.warm_key)) return 3
  const version = `${task.app_id}:${task.app_version_id}@`
  if (worker.warm_apps.some((key) => key.startsWith(version))) return 2
  return worker.warm_apps.some((key) => key.startsWith(`${task.app_id}:`)) ? 1 : 0
}
