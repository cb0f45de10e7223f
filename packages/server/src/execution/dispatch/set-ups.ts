// When a worker that is set up for one app is set up for another. Starting a process costs as much as dozens of short runs, so
// two apps that take turns (an agent's model and its tools) would spend their time on that if every worker took whatever
// waits longest. Pure but for what it remembers, which is kept in memory: a server that forgets it sets up one too many.
import { LRUCache } from 'lru-cache'

/** A worker that had nothing to do for this long waits for nothing any more. */
const quietMs = 1_000
/** A task that waits for this long no longer waits for a worker that is set up for it, unless every one was set up just now. */
const patienceMs = 5_000
const mostRemembered = 10_000

type Waiting = {
  warm_key: string
  available_at: string
  workers: readonly string[]
  session_worker_id: string | null
}
type Worker = { id: string; warm_apps: readonly string[]; idle_since: string | null }

export type SetUps = {
  mayTake(task: Waiting, worker: Worker): boolean
  took(task: Waiting, worker: Worker): void
}

export const createSetUps = (nowMs: () => number): SetUps => {
  /** How many workers were set up for what. */
  const counts = new Map<string, number>()
  const known = new LRUCache<string, { key: string; atMs: number }>({
    max: mostRemembered,
    dispose: ({ key }) => count(key, -1),
  })
  const count = (key: string, by: number): void => {
    const left = (counts.get(key) ?? 0) + by
    if (left > 0) counts.set(key, left)
    else counts.delete(key)
  }
  const isSetUpElsewhere = ({ warm_key }: Waiting, { id }: Worker): boolean =>
    (counts.get(warm_key) ?? 0) > (known.get(id)?.key === warm_key ? 1 : 0)

  return {
    mayTake: (task, worker) => {
      const isFree = worker.warm_apps.length === 0 || worker.warm_apps.includes(task.warm_key)
      if (isFree || task.workers.length > 0 || task.session_worker_id !== null) return true
      if (!isSetUpElsewhere(task, worker)) return true
      if (worker.idle_since === null || nowMs() - Date.parse(worker.idle_since) >= quietMs) return true
      const setUpMs = known.get(worker.id)?.atMs ?? Number.NEGATIVE_INFINITY
      return nowMs() - Math.max(setUpMs, Date.parse(task.available_at)) >= patienceMs
    },
    took: ({ warm_key }, { id, warm_apps }) => {
      if (warm_apps.includes(warm_key) && known.get(id)?.key === warm_key) return
      known.set(id, { key: warm_key, atMs: nowMs() })
      count(warm_key, 1)
    },
  }
}
