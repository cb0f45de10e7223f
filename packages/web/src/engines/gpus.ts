// The GPUs of a machine, computed from the system info of its engine. Every part of the report is optional. Pure.
import { sizeText } from '../ui/time-text.ts'
import { strings } from './strings.ts'

type Reported = {
  index?: number | null
  name?: string | null
  memory_used?: number | null
  memory_total?: number | null
  usage?: number | null
  temperature?: number | null
  power?: number | null
  driver_version?: string | null
  cuda_version?: string | null
}

export type GpuFacts = { index: number; name: string; memory: string; facts: string[] }

/** Fields that an engine did not report are 0 or empty. */
export const gpusOf = (info: unknown): GpuFacts[] => {
  const { gpus } = (info ?? {}) as { gpus?: readonly Reported[] | null }
  return (gpus ?? []).map((gpu, position) => ({
    index: gpu.index ?? position,
    name: gpu.name || strings.gpu.unknown,
    memory: gpu.memory_total ? strings.gpu.memory(sizeText(gpu.memory_used ?? 0), sizeText(gpu.memory_total)) : '',
    facts: [
      gpu.memory_total ? strings.gpu.busy(Math.round((gpu.usage ?? 0) * 100)) : '',
      gpu.temperature ? strings.gpu.temperature(gpu.temperature) : '',
      gpu.power ? strings.gpu.power(Math.round(gpu.power)) : '',
      gpu.driver_version ? strings.gpu.driver(gpu.driver_version) : '',
      gpu.cuda_version ? strings.gpu.cuda(gpu.cuda_version) : '',
    ].filter(Boolean),
  }))
}
