// How loaded a machine is, from what its engine reports of it. Pure; machines tell what they know.

export const loadParts = ['workers', 'processor', 'memory', 'gpu', 'disk'] as const
export type LoadPart = (typeof loadParts)[number]

export type Load = { atMs: number } & Record<LoadPart, number | null>

type Told = {
  cpus?: readonly { cores?: number | null; usage?: number | null; normalized_usage?: number | null }[] | null
  gpus?: readonly { memory_used?: number | null; memory_total?: number | null }[] | null
  ram?: { total?: number | null; available?: number | null } | null
  volumes?: readonly { size?: number | null; used?: number | null }[] | null
}

/** What a machine did not say of itself is shown as nothing, and none that works has nothing of these. */
const said = (value: number | null | undefined): number | null => value || null

const share = (part: number | null | undefined, whole: number | null | undefined): number | null =>
  typeof part === 'number' && typeof whole === 'number' && whole > 0 ? Math.min(1, Math.max(0, part / whole)) : null

/** The fullest volume is the one that stops work. */
const fullest = (volumes: Told['volumes']): number | null => {
  const shares = (volumes ?? []).flatMap(({ size, used }) => share(said(used), size) ?? [])
  return shares.length === 0 ? null : Math.max(...shares)
}

/** Some say it as a share, others in percent. */
const asShare = (value: number): number => Math.min(1, value > 1 ? value / 100 : value)

/** Processors of several makes count by their cores. */
const busyCores = (cpus: Told['cpus']): number | null => {
  const told = (cpus ?? []).flatMap(({ cores, usage, normalized_usage }) => {
    const value = said(normalized_usage) ?? said(usage)
    return value === null ? [] : [{ value: asShare(value), cores: cores || 1 }]
  })
  const all = told.reduce((sum, { cores }) => sum + cores, 0)
  return all === 0 ? null : told.reduce((sum, { value, cores }) => sum + value * cores, 0) / all
}

/** Of the card whose memory is fullest, which is the one that refuses the next model. */
const fullestCard = (gpus: Told['gpus']): number | null => {
  const shares = (gpus ?? []).flatMap(({ memory_used, memory_total }) => share(said(memory_used), memory_total) ?? [])
  return shares.length === 0 ? null : Math.max(...shares)
}

export const loadOf = (told: unknown, workers: readonly { status: string }[], atMs: number): Load => {
  const { cpus, ram, gpus, volumes } = (told ?? {}) as Told
  const free = share(said(ram?.available), ram?.total)
  return {
    atMs,
    processor: busyCores(cpus),
    memory: free === null ? null : 1 - free,
    gpu: fullestCard(gpus),
    disk: fullest(volumes),
    workers: share(workers.filter(({ status }) => status === 'busy').length, workers.length),
  }
}

const mostKept = 240

/** Reports that say the same moment again change nothing. */
export const withLoad = (held: readonly Load[], next: Load): readonly Load[] =>
  held.at(-1)?.atMs === next.atMs ? held : [...held, next].slice(-mostKept)

export type Point = { atMs: number; value: number }

/** Those of one part that were told, each with its moment. */
export const pointsOf = (loads: readonly Load[], part: LoadPart): Point[] =>
  loads.flatMap(({ atMs, [part]: value }) => (value === null ? [] : [{ atMs, value }]))

/** Where a moment stands between the first and the last, from 0 to 1. One alone is drawn as a level. */
export const placeOf = (atMs: number, fromMs: number, toMs: number): number =>
  toMs > fromMs ? (atMs - fromMs) / (toMs - fromMs) : 0
