// Which workers an engine gets: one per GPU entry, plus the CPU workers asked for. Pure.
import type { WorkerConfig } from '@millrace/contract/engine-frames'
import type { Gpu } from './system-info.ts'

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
