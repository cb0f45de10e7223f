// Decides when a worker that is warm for one app is reinitialized for another. Starting a process costs as much as
// dozens of short runs. If every worker took the oldest task, two apps that alternate (an agent's model and its tools)
// would spend their time on starts. Pure except for its memory. After a restart of the server, one worker too many may
// be initialized.
import { LRUCache } from 'lru-cache'

/** A worker that was idle for this long takes any task. */
const maxIdleMs = 1_000
/**
 * A task that waited for this long no longer waits for a warm worker, unless all workers were initialized within this
 * time.
 */
const maxWaitMs = 5_000
const maxEntries = 10_000

type QueuedTask = {
  warm_key: string
  available_at: string
  workers: readonly string[]
  session_worker_id: string | null
}
type Worker = { id: string; warm_apps: readonly string[]; idle_since: string | null }

export type WarmAffinity = {
  mayTake(task: QueuedTask, worker: Worker): boolean
  matched(task: QueuedTask, worker: Worker): void
}

export const createWarmAffinity = (nowMs: () => number): WarmAffinity => {
  /** The number of workers per warm key. */
  const counts = new Map<string, number>()
  const initialized = new LRUCache<string, { key: string; atMs: number }>({
    max: maxEntries,
    dispose: ({ key }) => count(key, -1),
  })
  const count = (key: string, by: number): void => {
    const left = (counts.get(key) ?? 0) + by
    if (left > 0) counts.set(key, left)
    else counts.delete(key)
  }
  const isWarmOnAnother = ({ warm_key }: QueuedTask, { id }: Worker): boolean =>
    (counts.get(warm_key) ?? 0) > (initialized.get(id)?.key === warm_key ? 1 : 0)

  return {
    mayTake: (task, worker) => {
      const isFree = worker.warm_apps.length === 0 || worker.warm_apps.includes(task.warm_key)
      if (isFree || task.workers.length > 0 || task.session_worker_id !== null) return true
      if (!isWarmOnAnother(task, worker)) return true
      if (worker.idle_since === null || nowMs() - Date.parse(worker.idle_since) >= maxIdleMs) return true
      const initializedMs = initialized.get(worker.id)?.atMs ?? Number.NEGATIVE_INFINITY
      return nowMs() - Math.max(initializedMs, Date.parse(task.available_at)) >= maxWaitMs
    },
    matched: ({ warm_key }, { id, warm_apps }) => {
      if (warm_apps.includes(warm_key) && initialized.get(id)?.key === warm_key) return
      initialized.set(id, { key: warm_key, atMs: nowMs() })
      count(warm_key, 1)
    },
  }
}
