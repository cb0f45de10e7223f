// Vectors in memory, by who may find them, and the nearest to one among those that a caller may find. Knows no database.
// Signs are looked at first; of those that are nearest by them the cosine is taken over bytes. Rows that the caller may
// not find are not looked at, so that they cannot be told by what is found, nor by how long it takes.
import { createComponents } from './components.ts'
import { createPackedRows, type Group } from './packed-rows.ts'
import { farthest, rowsTogether } from './sign-scan.ts'
import { createSigns, signBytes } from './signs.ts'

export type TableRow = { id: string; kind: string; audience: string; components: Int8Array }

export type Near = { id: string; cosine: number }

/** Of a kind: whose rows are looked at. */
export type Audiences = ReadonlyMap<string, readonly string[]>

/** Compared exactly, of those of a kind that are nearest by their signs. */
export const comparedExactly = 200

/** So many are looked at before it is known how far away the near ones are at most. */
const rowsAtFirst = 256

/** What a row takes beside its vector: its id, its place among others. */
const bookkeepingBytes = 200

export const bytesOfRow = (length: number): number => signBytes(length) + length + bookkeepingBytes

const keyOf = (kind: string, audience: string): string => `${kind} ${audience}`

/** Of vectors with `length` components. */
export const createNearestTable = (length: number) => {
  const signs = createSigns(length)
  const packed = createPackedRows(signs)
  const components = createComponents(length)
  const groups = new Map<string, Group>()
  const rowOf = new Map<string, number>()
  const ids: string[] = []
  const free: number[] = []

  const leave = (row: number): void => {
    const group = packed.leave(row)
    if (group?.blocks.length === 0) groups.delete(group.key)
  }
  const put = ({ id, kind, audience, ...given }: TableRow): void => {
    const held = rowOf.get(id)
    if (held !== undefined) leave(held)
    const row = held ?? free.pop() ?? ids.length
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

  /** The rows that are to be compared exactly. Once there are as many, only what is nearer than the last is of use. */
  const rowsNear = (asked: readonly Group[]): number[] => {
    const found: number[] = []
    const distances: number[] = []
    const counts = new Uint32Array(farthest + 1)
    const countAt = (distance: number): number => counts[distance] ?? 0
    /** The distance of the last one to be compared, and how many are not farther. */
    let last = farthest
    let within = 0
    let isFull = false
    let seen = 0
    for (const { stretch, count, rows } of asked.flatMap(({ blocks }) => blocks))
      for (let from = 0, to = 0; to < count && !(isFull && last === 0); from = to) {
        // As many as were seen already: of those as many are near as there are to be, so that few are told in vain.
        to = Math.min(count, from + Math.max(rowsAtFirst, seen - (seen % rowsTogether)))
        const near = signs.near(stretch, { from, to }, isFull ? last - 1 : last)
        for (let at = 0; at < near.length; at += 1) {
          const one = near[at] ?? 0
          const place = from + (one & 0xffff)
          // What lies behind the last row was a row once, or nothing.
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
    /** Of each kind so many whose cosine is above this, the nearest first. */
    nearest: (vector: Float32Array, audiences: Audiences, limit: number, above = Number.NEGATIVE_INFINITY): Near[] => {
      signs.ask(vector)
      return [...audiences].flatMap(([kind, who]) => {
        const rows = rowsNear(who.flatMap((audience) => groups.get(keyOf(kind, audience)) ?? []))
        const near: Near[] = []
        for (const [at, cosine] of components.cosinesTo(vector, rows).entries())
          if (cosine > above) near.push({ id: ids[rows[at] ?? 0] ?? '', cosine })
        return near.sort((a, b) => b.cosine - a.cosine || (a.id < b.id ? -1 : 1)).slice(0, limit)
      })
    },
    /** Of each, how near it is; null for what has no vector here. */
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
