// Metrics of the GPUs of connected engines, one series per card.
import type { Figure, Reading } from '#platform/http/metrics.ts'
import type { ReportedGpus } from './store.ts'

const labels = ['engine', 'gpu'] as const

const figures: readonly (readonly [field: string, name: string, help: string])[] = [
  ['memory_used', 'millrace_gpu_memory_used_bytes', 'Video memory in use, by engine and GPU'],
  ['memory_total', 'millrace_gpu_memory_total_bytes', 'Video memory, by engine and GPU'],
  ['usage', 'millrace_gpu_utilization', 'Utilization of the GPU, from 0 to 1'],
  ['temperature', 'millrace_gpu_temperature_celsius', 'Temperature of the GPU'],
  ['power', 'millrace_gpu_power_watts', 'Power draw of the GPU'],
]

const readingsOf = (engines: readonly ReportedGpus[], field: string): Reading[] =>
  engines.flatMap(({ engine, gpus }) =>
    gpus.flatMap((gpu, position) => {
      const value = gpu[field]
      return typeof value === 'number' ? [{ labels: { engine, gpu: String(gpu.index ?? position) }, value }] : []
    }),
  )

export const gpuFigures = (read: () => Promise<readonly ReportedGpus[]>): Figure[] =>
  figures.map(([field, name, help]) => ({
    name,
    help,
    labels: [...labels],
    read: async () => readingsOf(await read(), field),
  }))
