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
  /** The memory of its smallest GPU, of which `gpu_vram` may be a share. */
  card_vram: number
  /** The ids of its GPUs that other workers have, too. */
  shared_gpus: string[]
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
    ? config.gpu
        .map(({ gpus, vram }) => ({ gpus: pickGpus(machine.gpus, gpus ?? []), share: vram ?? null }))
        .filter(({ gpus }) => gpus.length > 0)
    : machine.gpus.map((gpu) => ({ gpus: [gpu], share: null }))
  const cpuCount = config?.cpu?.count ?? cpuWorkersDefault
  const cpuWorkers = Array.from({ length: Math.min(cpuCount, maxWorkers) }, () => ({ gpus: [], share: null }))
  const planned: GpuSet[] = [...gpuWorkers, ...cpuWorkers].slice(0, maxWorkers)
  const users = countUsers(planned)
  return planned.map(({ gpus, share }, index) => {
    const card = gpus.length === 0 ? 0 : Math.min(...gpus.map((gpu) => gpu.vram))
    return {
      index,
      gpus,
      gpu_count: gpus.length,
      gpu_type: gpus[0]?.type ?? 'none',
      gpu_vram: share === null ? card : Math.min(card, Math.round(share * bytesPerGigabyte)),
      card_vram: card,
      shared_gpus: gpus.map(({ id }) => id).filter((id) => (users.get(id) ?? 0) > 1),
    }
  })
}

type GpuSet = { gpus: Gpu[]; share: number | null }

const bytesPerGigabyte = 1e9

/** How many workers have each GPU. */
const countUsers = (planned: readonly GpuSet[]): Map<string, number> => {
  const users = new Map<string, number>()
  for (const { gpus } of planned) for (const { id } of gpus) users.set(id, (users.get(id) ?? 0) + 1)
  return users
}
