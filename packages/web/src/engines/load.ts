// How loaded a machine is, from what its engine reports of it. Pure; machines tell what they know.

export type Load = { atMs: number; memory: number | null; disk: number | null; workers: number | null }

type Told = {
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

export const loadOf = (told: unknown, workers: readonly { status: string }[], atMs: number): Load => {
  const { ram, volumes } = (told ?? {}) as Told
  const free = share(said(ram?.available), ram?.total)
  return {
    atMs,
    memory: free === null ? null : 1 - free,
    disk: fullest(volumes),
    workers: share(workers.filter(({ status }) => status === 'busy').length, workers.length),
  }
}

const mostKept = 240

/** Reports that say the same moment again change nothing. */
export const withLoad = (held: readonly Load[], next: Load): readonly Load[] =>
  held.at(-1)?.atMs === next.atMs ? held : [...held, next].slice(-mostKept)
