// Limits the tasks of workers that share a GPU to the memory of that GPU, while one batch of tasks is matched. The
// engine checks again with measured values, so a race between two servers costs time but never memory. Pure except for
// its state.
import type { IdleWorker, MatchRule, QueuedTask } from './matching.ts'

const needOf = (task: QueuedTask, { gpu_vram }: IdleWorker): number => task.gpu_vram || gpu_vram

/** The rule for one batch. */
export const createGpuRoom = (): MatchRule => {
  const taken = new Map<string, number>()
  const keysOf = ({ engine_id, shared_gpus }: IdleWorker) => shared_gpus.map((id) => `${engine_id} ${id}`)
  return {
    mayTake: (task, worker) => {
      if (task.gpu_count === 0) return true
      const used = Math.max(0, ...keysOf(worker).map((key) => taken.get(key) ?? 0))
      return needOf(task, worker) <= worker.gpu_room - used
    },
    matched: (task, worker) => {
      if (task.gpu_count === 0) return
      for (const key of keysOf(worker)) taken.set(key, (taken.get(key) ?? 0) + needOf(task, worker))
    },
  }
}
