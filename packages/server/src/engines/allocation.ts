// Which workers an engine gets: one per GPU entry, plus the CPU workers asked for. Pure.
import type { RegisterRequest, SystemGpu } from '@millrace/contract/engine-frames'

export type PlannedWorker = {
  index: number
  gpus: SystemGpu[]
  gpu_count: number
  gpu_type: string
  gpu_vram: number
}

const cpuWorkersDefault = 2
const mostWorkers = 256

const pickGpus = (all: readonly SystemGpu[], wanted: readonly (number | string)[]): SystemGpu[] =>
  wanted.flatMap((name) =>
    all.filter((gpu) => (typeof name === 'number' ? gpu.index === name : gpu.id === name)).slice(0, 1),
  )

export const planWorkers = ({
  worker_config: config,
  system_info: system,
}: Pick<RegisterRequest, 'worker_config' | 'system_info'>): PlannedWorker[] => {
  const gpuWorkers = (config.gpu ?? [])
    .map((entry) => pickGpus(system.gpus, entry.gpus))
    .filter((gpus) => gpus.length > 0)
  const cpuCount = config.cpu?.count ?? (gpuWorkers.length === 0 ? cpuWorkersDefault : 0)
  const sets: SystemGpu[][] = [...gpuWorkers, ...Array.from({ length: Math.min(cpuCount, mostWorkers) }, () => [])]
  return sets.slice(0, mostWorkers).map((gpus, index) => ({
    index,
    gpus,
    gpu_count: gpus.length,
    gpu_type: gpus[0]?.type ?? 'none',
    gpu_vram: gpus.length === 0 ? 0 : Math.min(...gpus.map((gpu) => gpu.vram)),
  }))
}
