// The GPUs of this machine, and the memory that each process uses on them. Tools that are missing at the first read are
// not started again.

import type { SystemGpu } from '@millrace/contract/engine-frames'
import { readAmdGpus } from './amd.ts'
import { readAppleGpus } from './apple.ts'
import type { ToolEnv } from './gpu-tools.ts'
import { type GpuProcess, readCudaVersion, readNvidiaGpus, readNvidiaProcesses } from './nvidia.ts'

export type { GpuProcess }

export type GpuReader = {
  /** The cards with their current memory, utilization, temperature and power. */
  gpus: () => Promise<SystemGpu[]>
  /** The memory of each process per card. Only NVIDIA's tool reports it per card. */
  processes: () => Promise<GpuProcess[]>
}

export const createGpuReader = (env: ToolEnv): GpuReader => {
  let readers = [readNvidiaGpus, readAmdGpus, readAppleGpus]
  let cudaVersion: Promise<string | undefined> | undefined
  let hasNvidia = false
  let isFirst = true

  const readAll = async (): Promise<SystemGpu[]> => {
    const found = await Promise.all(readers.map(async (read) => ({ read, gpus: await read(env) })))
    if (isFirst) readers = found.filter(({ gpus }) => (gpus?.length ?? 0) > 0).map(({ read }) => read)
    isFirst = false
    const gpus = found.flatMap((one) => one.gpus ?? [])
    hasNvidia = gpus.some(({ type }) => type === 'nvidia')
    if (!hasNvidia) return gpus
    cudaVersion ??= readCudaVersion(env)
    const version = await cudaVersion
    return gpus.map((gpu) => (gpu.type === 'nvidia' && version ? { ...gpu, cuda_version: version } : gpu))
  }

  return {
    gpus: () => (readers.length === 0 ? Promise.resolve([]) : readAll()),
    processes: () => (hasNvidia ? readNvidiaProcesses(env) : Promise.resolve([])),
  }
}
