// Reads the system report of an engine, any part of which may be missing: the facts about its hardware for the workers,
// and the stored report. Pure.
import type { SystemCpu, SystemGpu, SystemInfo } from '@millrace/contract/engine-frames'

type ReportedInfo = SystemInfo | null | undefined

export type Gpu = { id: string; index: number; type: string; name: string; vram: number }

export type MachineFacts = { gpus: Gpu[]; cpus: object[]; ram: number }

const makers = ['nvidia', 'amd', 'intel', 'apple'] as const

/** If the report does not name the vendor of a GPU, it is derived from the name of the card or from the driver. */
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

/** A frequency is text on the wire, even if it was reported as a number. */
const cpuOf = (cpu: SystemCpu): object => ({
  ...cpu,
  ...(cpu.frequency === undefined || cpu.frequency === null ? {} : { frequency: String(cpu.frequency) }),
})

/** For a worker: all fields that clients expect, empty if not reported. */
const workerCpuOf = (cpu: SystemCpu): object => ({
  name: cpu.name ?? '',
  vendor_id: cpu.vendor_id ?? '',
  family: cpu.family ?? '',
  model: cpu.model ?? '',
  cores: cpu.cores ?? 0,
  frequency: String(cpu.frequency ?? ''),
})

export const factsOf = (reported: ReportedInfo): MachineFacts => ({
  gpus: (reported?.gpus ?? []).map(gpuOf),
  cpus: (reported?.cpus ?? []).map(workerCpuOf),
  ram: reported?.ram?.total ?? 0,
})

/** The report as sent, without empty parts; null if it is empty. */
export const storedInfo = (reported: ReportedInfo): Record<string, unknown> | null => {
  if (!reported) return null
  const present = Object.entries(reported).filter(([, value]) => value !== null && value !== undefined)
  return { ...Object.fromEntries(present), ...(reported.cpus ? { cpus: reported.cpus.map(cpuOf) } : {}) }
}

type Facts = Record<string, unknown>

const emptyFields = {
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

/** Fills omitted fields with empty values. */
const withDefaults = (empty: Facts, reported: unknown): Facts => {
  const present = Object.entries((reported ?? {}) as Facts).filter(([, value]) => value !== null)
  return { ...empty, ...Object.fromEntries(present) }
}

const listed = (empty: Facts, reported: unknown): Facts[] =>
  ((reported ?? []) as unknown[]).map((one) => withDefaults(empty, one))

/** A report in the shape that clients expect: all fields, empty if not reported, and unknown fields as sent. */
export const clientInfo = (stored: unknown, version: string): Facts => {
  const info = stored as Facts
  const texts = { hostname: '', ipv4: '', ipv6: '', mac_address: '', os: '' }
  return {
    ...withDefaults(texts, info),
    engine_version: version,
    docker: withDefaults(emptyFields.docker, info.docker),
    wsl2: withDefaults(emptyFields.wsl2, info.wsl2),
    cpus: listed(emptyFields.cpu, info.cpus),
    ram: withDefaults(emptyFields.ram, info.ram),
    volumes: listed(emptyFields.volume, info.volumes),
    hf_cache: withDefaults(emptyFields.hf_cache, info.hf_cache),
    gpus: listed(emptyFields.gpu, info.gpus),
  }
}
