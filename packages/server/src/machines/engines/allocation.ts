// Determines the workers of an engine: first which worker layout applies, then one worker per GPU entry plus the
// requested CPU workers. A part that the layout omits has its default: one worker per GPU, and two CPU workers. Pure.
import type { WorkerConfig } from '@millrace/contract/engine-frames'
import { canonicalJson } from '@millrace/contract/warm-key'
import type { Gpu } from './system-info.ts'

export type Layout = {
  /** The layout that users planned to replace the requested one. */
  planned: WorkerConfig | null
  /** The layout that the machine requested when the plan was applied; null before. */
  overruled: WorkerConfig | null
  /** The layout that applies. */
  workers: WorkerConfig
}

/**
 * The layout of a registration. A plan is applied at the next registration and stays until the machine requests a
 * different layout than at that time: the latest change wins.
 */
export const chooseLayout = (before: Layout, requested: WorkerConfig | null): Layout => {
  const { planned, overruled, workers } = before
  const asBefore = requested === null || overruled === null || canonicalJson(requested) === canonicalJson(overruled)
  if (planned !== null && asBefore) return { planned, overruled: requested ?? overruled, workers: planned }
  return { planned: null, overruled: null, workers: requested ?? workers }
}

export type PlannedWorker = {
  index: number
  gpus: Gpu[]
  gpu_count: number
  gpu_type: string
  gpu_vram: number
}

const cpuWorkersDefault = 2
const maxWorkers = 256

const pickGpus = (all: readonly Gpu[], wanted: readonly (number | string)[]): Gpu[] =>
  wanted.flatMap((name) =>
    all.filter((gpu) => (typeof name === 'number' ? gpu.index === name : gpu.id === name)).slice(0, 1),
  )

export const planWorkers = (
  config: WorkerConfig | null | undefined,
  machine: { gpus: readonly Gpu[] },
): PlannedWorker[] => {
  const gpuWorkers = config?.gpu
    ? config.gpu.map((entry) => pickGpus(machine.gpus, entry.gpus ?? [])).filter((gpus) => gpus.length > 0)
    : machine.gpus.map((gpu) => [gpu])
  const cpuCount = config?.cpu?.count ?? cpuWorkersDefault
  const sets: Gpu[][] = [...gpuWorkers, ...Array.from({ length: Math.min(cpuCount, maxWorkers) }, () => [])]
  return sets.slice(0, maxWorkers).map((gpus, index) => ({
    index,
    gpus,
    gpu_count: gpus.length,
    gpu_type: gpus[0]?.type ?? 'none',
    gpu_vram: gpus.length === 0 ? 0 : Math.min(...gpus.map((gpu) => gpu.vram)),
  }))
}
