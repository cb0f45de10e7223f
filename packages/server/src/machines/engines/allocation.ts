// Which workers an engine gets: whose wish for a layout counts, and then one worker per GPU entry, plus the CPU workers asked
// for. Pure.
import type { WorkerConfig } from '@millrace/contract/engine-frames'
import { canonicalJson } from '@millrace/contract/warm-key'
import type { Gpu } from './system-info.ts'

export type Layout = {
  /** What people want instead of what the machine asks for. */
  planned: WorkerConfig | null
  /** What the machine asked for when the plan took effect; null before. */
  overruled: WorkerConfig | null
  /** What holds. */
  workers: WorkerConfig
}

/**
 * The layout of a registration. A plan takes effect at the next one, whatever that asks for, and holds until the machine asks
 * for something else than it did then: whoever spoke last is heard.
 */
export const chooseLayout = (before: Layout, asked: WorkerConfig | null): Layout => {
  const { planned, overruled, workers } = before
  const asBefore = asked === null || overruled === null || canonicalJson(asked) === canonicalJson(overruled)
  if (planned !== null && asBefore) return { planned, overruled: asked ?? overruled, workers: planned }
  return { planned: null, overruled: null, workers: asked ?? workers }
}

export type PlannedWorker = {
  index: number
  gpus: Gpu[]
  gpu_count: number
  gpu_type: string
  gpu_vram: number
}

const cpuWorkersDefault = 2
const mostWorkers = 256

const pickGpus = (all: readonly Gpu[], wanted: readonly (number | string)[]): Gpu[] =>
  wanted.flatMap((name) =>
    all.filter((gpu) => (typeof name === 'number' ? gpu.index === name : gpu.id === name)).slice(0, 1),
  )

export const planWorkers = (
  config: WorkerConfig | null | undefined,
  machine: { gpus: readonly Gpu[] },
): PlannedWorker[] => {
  const gpuWorkers = (config?.gpu ?? [])
    .map((entry) => pickGpus(machine.gpus, entry.gpus ?? []))
    .filter((gpus) => gpus.length > 0)
  const cpuCount = config?.cpu?.count ?? (gpuWorkers.length === 0 ? cpuWorkersDefault : 0)
  const sets: Gpu[][] = [...gpuWorkers, ...Array.from({ length: Math.min(cpuCount, mostWorkers) }, () => [])]
  return sets.slice(0, mostWorkers).map((gpus, index) => ({
    index,
    gpus,
    gpu_count: gpus.length,
    gpu_type: gpus[0]?.type ?? 'none',
    gpu_vram: gpus.length === 0 ? 0 : Math.min(...gpus.map((gpu) => gpu.vram)),
  }))
}
