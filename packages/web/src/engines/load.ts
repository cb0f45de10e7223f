// The load of a machine, computed from the system info of its engine. Every part of the report is optional. Pure.

export const loadParts = ['workers', 'processor', 'memory', 'gpu', 'gpuUsage', 'disk'] as const
export type LoadPart = (typeof loadParts)[number]

export type Load = { atMs: number } & Record<LoadPart, number | null>

type SystemInfo = {
  cpus?: readonly { cores?: number | null; usage?: number | null; normalized_usage?: number | null }[] | null
  gpus?: readonly { memory_used?: number | null; memory_total?: number | null; usage?: number | null }[] | null
  ram?: { total?: number | null; available?: number | null } | null
  volumes?: readonly { size?: number | null; used?: number | null }[] | null
}

/** Engines report 0 for values they do not know; a working machine never has 0 of these. */
const reported = (value: number | null | undefined): number | null => value || null

const share = (part: number | null | undefined, whole: number | null | undefined): number | null =>
  typeof part === 'number' && typeof whole === 'number' && whole > 0 ? Math.min(1, Math.max(0, part / whole)) : null

/** The fullest volume is the first to stop work. */
const fullest = (volumes: SystemInfo['volumes']): number | null => {
  const shares = (volumes ?? []).flatMap(({ size, used }) => share(reported(used), size) ?? [])
  return shares.length === 0 ? null : Math.max(...shares)
}

/** Some engines report a share, others a percentage. */
const asShare = (value: number): number => Math.min(1, value > 1 ? value / 100 : value)

/** The average over all CPUs, weighted by cores. */
const cpuLoad = (cpus: SystemInfo['cpus']): number | null => {
  const known = (cpus ?? []).flatMap(({ cores, usage, normalized_usage }) => {
    const value = reported(normalized_usage) ?? reported(usage)
    return value === null ? [] : [{ value: asShare(value), cores: cores || 1 }]
  })
  const all = known.reduce((sum, { cores }) => sum + cores, 0)
  return all === 0 ? null : known.reduce((sum, { value, cores }) => sum + value * cores, 0) / all
}

/** The GPU with the fullest memory is the first to refuse the next model. */
const fullestGpu = (gpus: SystemInfo['gpus']): number | null => {
  const shares = (gpus ?? []).flatMap(
    ({ memory_used, memory_total }) => share(reported(memory_used), memory_total) ?? [],
  )
  return shares.length === 0 ? null : Math.max(...shares)
}

/** A card without a working process reports 0, so the usage counts when the card reports its memory. */
const busiestGpu = (gpus: SystemInfo['gpus']): number | null => {
  const shares = (gpus ?? []).flatMap(({ usage, memory_used }) =>
    reported(memory_used) !== null && typeof usage === 'number' ? Math.min(1, Math.max(0, usage)) : [],
  )
  return shares.length === 0 ? null : Math.max(...shares)
}

export const loadOf = (info: unknown, workers: readonly { status: string }[], atMs: number): Load => {
  const { cpus, ram, gpus, volumes } = (info ?? {}) as SystemInfo
  const free = share(reported(ram?.available), ram?.total)
  return {
    atMs,
    processor: cpuLoad(cpus),
    memory: free === null ? null : 1 - free,
    gpu: fullestGpu(gpus),
    gpuUsage: busiestGpu(gpus),
    disk: fullest(volumes),
    workers: share(workers.filter(({ status }) => status === 'busy').length, workers.length),
  }
}

const maxLoads = 240

/** A second report of the same time changes nothing. */
export const withLoad = (loads: readonly Load[], next: Load): readonly Load[] =>
  loads.at(-1)?.atMs === next.atMs ? loads : [...loads, next].slice(-maxLoads)

export type Point = { atMs: number; value: number }

/** The reported values of one part, each with its time. */
export const pointsOf = (loads: readonly Load[], part: LoadPart): Point[] =>
  loads.flatMap(({ atMs, [part]: value }) => (value === null ? [] : [{ atMs, value }]))

/** The position of a time between the first and the last, from 0 to 1. */
export const positionOf = (atMs: number, fromMs: number, toMs: number): number =>
  toMs > fromMs ? (atMs - fromMs) / (toMs - fromMs) : 0
