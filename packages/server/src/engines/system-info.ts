// What an engine tells about its machine, any part of which may be missing: the facts that workers are made of, and the
// report itself as it is kept. Pure.
import type { SystemCpu, SystemGpu, SystemInfo } from '@millrace/contract/engine-frames'

type Told = SystemInfo | null | undefined

export type Gpu = { id: string; index: number; type: string; name: string; vram: number }

export type MachineFacts = { gpus: Gpu[]; cpus: object[]; ram: number }

const makers = ['nvidia', 'amd', 'intel', 'apple'] as const

/** Engines that do not name the maker tell it by the card's name, or by the driver that only one maker has. */
const makerOf = ({ type, name, cuda_version: cuda }: SystemGpu): string => {
  if (type) return type
  const named = makers.find((maker) => name?.toLowerCase().includes(maker))
  return named ?? (cuda ? 'nvidia' : '')
}

const gpuOf = (gpu: SystemGpu, position: number): Gpu => ({
  id: gpu.id ?? `gpu-${position}`,
  index: gpu.index ?? position,
  type: makerOf(gpu),
  name: gpu.name ?? '',
  vram: gpu.vram ?? gpu.memory_total ?? 0,
})

/** A frequency is text on the wire, whoever measured it as a number. */
const cpuOf = (cpu: SystemCpu): object => ({
  ...cpu,
  ...(cpu.frequency === undefined || cpu.frequency === null ? {} : { frequency: String(cpu.frequency) }),
})

/** Of a worker: every field that clients know, empty where nothing was said. */
const workerCpuOf = (cpu: SystemCpu): object => ({
  name: cpu.name ?? '',
  vendor_id: cpu.vendor_id ?? '',
  family: cpu.family ?? '',
  model: cpu.model ?? '',
  cores: cpu.cores ?? 0,
  frequency: String(cpu.frequency ?? ''),
})

export const factsOf = (told: Told): MachineFacts => ({
  gpus: (told?.gpus ?? []).map(gpuOf),
  cpus: (told?.cpus ?? []).map(workerCpuOf),
  ram: told?.ram?.total ?? 0,
})

/** As it was sent, without the parts that say nothing. Null when nothing was said at all. */
export const keptInfo = (told: Told): Record<string, unknown> | null => {
  if (!told) return null
  const said = Object.entries(told).filter(([, value]) => value !== null && value !== undefined)
  return { ...Object.fromEntries(said), ...(told.cpus ? { cpus: told.cpus.map(cpuOf) } : {}) }
}
