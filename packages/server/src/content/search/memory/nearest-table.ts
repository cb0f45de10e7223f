// Vectors in memory, grouped by audience, and a nearest-neighbor search within the audiences of a caller. Independent
// of the database. The signs of the components select the nearest rows, whose cosines are then computed from bytes.
// Rows of other audiences are not read, so neither results nor timing reveal them.
import { createComponents } from './components.ts'
import { createPackedRows, type RowGroup } from './packed-rows.ts'
import { maxDistance, rowsTogether } from './sign-scan.ts'
import { createSigns, signBytes } from './signs.ts'

export type TableRow = { id: string; kind: string; audience: string; components: Int8Array }

export type Neighbor = { id: string; cosine: number }

/** The audiences to search, by kind. */
export type Audiences = ReadonlyMap<string, readonly string[]>

/** Number of rows per kind that are compared exactly: those with the nearest signs. */
export const comparedExactly = 200

/** Rows in the first scan, before any distance limit is known. */
const rowsAtFirst = 256

/** Memory per row besides its vector: id and position. */
const bookkeepingBytes = 200

export const bytesOfRow = (length: number): number => signBytes(length) + length + bookkeepingBytes

const keyOf = (kind: string, audience: string): string => `${kind} ${audience}`

/** `length`: the number of components of each vector. */
export const createNearestTable = (length: number) => {
  const signs = createSigns(length)
  const packed = createPackedRows(signs)
  const components = createComponents(length)
  const groups = new Map<string, RowGroup>()
  const rowOf = new Map<string, number>()
  const ids: string[] = []
  const free: number[] = []

  const leave = (row: number): void => {
    const group = packed.leave(row)
    if (group?.blocks.length === 0) groups.delete(group.key)
  }
  const put = ({ id, kind, audience, ...given }: TableRow): void => {
    const existing = rowOf.get(id)
    if (existing !== undefined) leave(existing)
    const row = existing ?? free.pop() ?? ids.length
    ids[row] = id
    rowOf.set(id, row)
    components.write(row, given.components)
    const key = keyOf(kind, audience)
    const group = groups.get(key) ?? { key, blocks: [] }
    groups.set(key, group)
    packed.join(group, row, given.components)
  }
  const remove = (id: string): void => {
    const row = rowOf.get(id)
    if (row === undefined) return
    leave(row)
    rowOf.delete(id)
    free.push(row)
  }

  /** The rows for the exact comparison. Once enough rows are found, only nearer ones are added. */
  const nearestRows = (asked: readonly RowGroup[]): number[] => {
    const found: number[] = []
    const distances: number[] = []
    const counts = new Uint32Array(maxDistance + 1)
    const countAt = (distance: number): number => counts[distance] ?? 0
    /** The distance of the last row to compare, and the number of rows up to that distance. */
    let last = maxDistance
    let within = 0
    let isFull = false
    let seen = 0
    for (const { stretch, count, rows } of asked.flatMap(({ blocks }) => blocks))
      for (let from = 0, to = 0; to < count && !(isFull && last === 0); from = to) {
        // Each scan doubles the number of rows seen, so that few rows are reported in vain before the limit shrinks.
        to = Math.min(count, from + Math.max(rowsAtFirst, seen - (seen % rowsTogether)))
        const near = signs.near(stretch, { from, to }, isFull ? last - 1 : last)
        for (let at = 0; at < near.length; at += 1) {
          const one = near[at] ?? 0
          const place = from + (one & 0xffff)
          // Places after the last row have stale or no data.
          if (place >= to) break
          const distance = one >>> 16
          found.push(rows[place] ?? 0)
          distances.push(distance)
          counts[distance] = countAt(distance) + 1
          within += 1
        }
        while (within - countAt(last) >= comparedExactly) {
          within -= countAt(last)
          last -= 1
        }
        isFull = within >= comparedExactly
        seen += to - from
      }
    let ties = comparedExactly - (within - countAt(last))
    return found.filter((_row, at) => {
      const distance = distances[at] ?? 0
      if (distance === last) ties -= 1
      return distance < last || (distance === last && ties >= 0)
    })
  }

  return {
    length,
    size: (): number => rowOf.size,
    put,
    remove,
    /** The nearest rows of each kind with a cosine above `above`, nearest first. */
    nearest: (
      vector: Float32Array,
      audiences: Audiences,
      limit: number,
      above = Number.NEGATIVE_INFINITY,
    ): Neighbor[] => {
      signs.ask(vector)
      return [...audiences].flatMap(([kind, who]) => {
        const rows = nearestRows(who.flatMap((audience) => groups.get(keyOf(kind, audience)) ?? []))
        const near: Neighbor[] = []
        for (const [at, cosine] of components.cosinesTo(vector, rows).entries())
          if (cosine > above) near.push({ id: ids[rows[at] ?? 0] ?? '', cosine })
        return near.sort((a, b) => b.cosine - a.cosine || (a.id < b.id ? -1 : 1)).slice(0, limit)
      })
    },
    /** The cosine of each document; null without a vector. */
    cosinesTo: (vector: Float32Array, ids: readonly string[]): (number | null)[] => {
      const rows = ids.map((id) => rowOf.get(id))
      const cosines = components.cosinesTo(
        vector,
        rows.filter((row) => row !== undefined),
      )
      let next = 0
      return rows.map((row) => (row === undefined ? null : (cosines[next++] ?? 0)))
    },
  }
}

export type NearestTable = ReturnType<typeof createNearestTable>
