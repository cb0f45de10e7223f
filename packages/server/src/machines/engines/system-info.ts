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

type Facts = Record<string, unknown>

const unsaid = {
  docker: { binary_path: '', installed: false, socket_path: '', socket_available: false, running: false, version: '' },
  wsl2: { installed: false, enabled: false, version: '' },
  cpu: {
    name: '',
    vendor_id: '',
    family: '',
    model: '',
    cores: 0,
    frequency: '',
    usage: 0,
    normalized_usage: 0,
  },
  ram: {
    total: 0,
    available: 0,
    used: 0,
    free: 0,
    usage: 0,
    total_physical: 0,
    total_usable: 0,
    bootloader_usage: 0,
    swap_total: 0,
    swap_used: 0,
    swap_free: 0,
    swap_usage: 0,
  },
  volume: { name: '', size: 0, used: 0, free: 0, usage: 0 },
  gpu: {
    id: '',
    name: '',
    index: 0,
    cuda_version: '',
    driver_version: '',
    memory_used: 0,
    memory_total: 0,
    temperature: 0,
  },
  hf_cache: { cache_dir: '', repos: [], size_on_disk: 0, warnings: [] },
}

/** What is there, with nothing in the place of what was not said. */
const filled = (empty: Facts, told: unknown): Facts => {
  const said = Object.entries((told ?? {}) as Facts).filter(([, value]) => value !== null)
  return { ...empty, ...Object.fromEntries(said) }
}

const listed = (empty: Facts, told: unknown): Facts[] => ((told ?? []) as unknown[]).map((one) => filled(empty, one))

/** A report as clients know it: every field is there, empty where nothing was said, and what nobody knows as it was sent. */
export const shownInfo = (kept: unknown, version: string): Facts => {
  const info = kept as Facts
  const texts = { hostname: '', ipv4: '', ipv6: '', mac_address: '', os: '' }
  return {
    ...filled(texts, info),
    engine_version: version,
    docker: filled(unsaid.docker, info.docker),
    wsl2: filled(unsaid.wsl2, info.wsl2),
    cpus: listed(unsaid.cpu, info.cpus),
    ram: filled(unsaid.ram, info.ram),
    volumes: listed(unsaid.volume, info.volumes),
    hf_cache: filled(unsaid.hf_cache, info.hf_cache),
    gpus: listed(unsaid.gpu, info.gpus),
  }
}
