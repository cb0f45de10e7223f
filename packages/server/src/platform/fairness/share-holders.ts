// Counts the places of each holder and computes its limit, which is lower while other holders are present. There are
// two kinds of holders: workspaces and persons.

export const addTo = (counts: Map<string, number>, key: string, change: 1 | -1): void => {
  const count = (counts.get(key) ?? 0) + change
  if (count > 0) counts.set(key, count)
  else counts.delete(key)
}

/** The holder of work without a workspace or person. */
export const noHolder = ''

/** A holder counts as present for this time after its last call began or ended. */
const presenceMs = 2_000

const hasOthers = (holders: ReadonlyMap<string, unknown>, id: string): boolean =>
  holders.size > Number(holders.has(id)) + Number(holders.has(noHolder))

/** The last two holders are enough to determine whether any holder is alone. */
const createPresence = () => {
  let last = { id: noHolder, atMs: Number.NEGATIVE_INFINITY }
  let lastOther = last
  return {
    seen: (id: string, atMs: number): void => {
      if (id === noHolder) return
      if (id !== last.id) lastOther = last
      last = { id, atMs }
    },
    isAlone: (id: string, nowMs: number): boolean => nowMs - (last.id === id ? lastOther : last).atMs > presenceMs,
  }
}

export type Holders = {
  seen(id: string): void
  /** Marks a holder as present until the returned function is called. */
  arrive(id: string): () => void
  take(id: string): void
  release(id: string): void
  queue(id: string, change: 1 | -1): void
  placesOf(id: string): number
  queuedBy(id: string): number
  /** True while no other holder is present. */
  isAlone(id: string): boolean
  /** True while the holder has fewer places than its share. */
  mayTake(id: string): boolean
}

export const createHolders = (alone: number, underContention: () => number): Holders => {
  const presence = createPresence()
  const arrived = new Map<string, number>()
  const places = new Map<string, number>()
  const queued = new Map<string, number>()
  const placesOf = (id: string): number => (id === noHolder ? 0 : (places.get(id) ?? 0))
  const seen = (id: string): void => presence.seen(id, performance.now())
  const isAlone = (id: string): boolean =>
    ![arrived, places, queued].some((holders) => hasOthers(holders, id)) && presence.isAlone(id, performance.now())
  return {
    seen,
    arrive: (id) => {
      addTo(arrived, id, 1)
      return () => {
        addTo(arrived, id, -1)
        seen(id)
      }
    },
    take: (id) => addTo(places, id, 1),
    release: (id) => {
      addTo(places, id, -1)
      seen(id)
    },
    queue: (id, change) => addTo(queued, id, change),
    placesOf,
    queuedBy: (id) => queued.get(id) ?? 0,
    isAlone,
    mayTake: (id) => id === noHolder || placesOf(id) < (isAlone(id) ? alone : underContention()),
  }
}
