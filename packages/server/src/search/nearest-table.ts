// Vectors in memory, by who may find them, and the nearest to one among those that a caller may find. Knows no database.
// Signs are compared first, all of them; of those that differ least the cosine is taken over bytes. Rows that the caller may
// not find are not looked at, so that they cannot be told by what is found, nor by how long it takes.
import { createComponents } from './components.ts'
import { createPackedRows, type Group } from './packed-rows.ts'
import { createSigns, signBytes } from './signs.ts'
import { writeSigns } from './vectors.ts'

export type TableRow = { id: string; kind: string; audience: string; components: Int8Array }

export type Near = { id: string; cosine: number }

/** Of a kind: whose rows are looked at. */
export type Audiences = ReadonlyMap<string, readonly string[]>

/** Compared exactly, of those of a kind whose signs differ least. */
const comparedExactly = 100

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
  const its = new Uint8Array(signBytes(length))

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
    writeSigns(given.components, its)
    packed.join(group, row, its)
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
    const found: { row: number; distance: number }[] = []
    const counts = new Uint32Array(length + 1)
    const countAt = (distance: number): number => counts[distance] ?? 0
    /** The distance of the last one to be compared, and how many are not farther. */
    let last = length
    let within = 0
    let isFull = false
    for (const { stretch, count, rows } of asked.flatMap(({ blocks }) => blocks))
      for (let from = 0, to = 0; to < count && !(isFull && last === 0); from = to) {
        to = Math.min(count, from + (isFull ? count : rowsAtFirst))
        signs.near(stretch, { from, to }, isFull ? last - 1 : last, (place, distance) => {
          found.push({ row: rows[place] ?? 0, distance })
          counts[distance] = countAt(distance) + 1
          within += 1
        })
        while (within - countAt(last) >= comparedExactly) {
          within -= countAt(last)
          last -= 1
        }
        isFull = within >= comparedExactly
      }
    let ties = comparedExactly - (within - countAt(last))
    return found.flatMap(({ row, distance }) => {
      if (distance > last || (distance === last && ties === 0)) return []
      if (distance === last) ties -= 1
      return row
    })
  }

  return {
    length,
    size: (): number => rowOf.size,
    put,
    remove,
    /** Of each kind so many, the nearest first. */
    nearest: (vector: Float32Array, audiences: Audiences, limit: number): Near[] => {
      const cosineOf = components.comparedTo(vector)
      signs.ask(vector)
      return [...audiences].flatMap(([kind, who]) => {
        const asked = who.flatMap((audience) => groups.get(keyOf(kind, audience)) ?? [])
        return rowsNear(asked)
          .map((row) => ({ id: ids[row] ?? '', cosine: cosineOf(row) }))
          .sort((a, b) => b.cosine - a.cosine || (a.id < b.id ? -1 : 1))
          .slice(0, limit)
      })
    },
    /** Of each, how near it is; null for what has no vector here. */
    cosinesTo: (vector: Float32Array, ids: readonly string[]): (number | null)[] => {
      const cosineOf = components.comparedTo(vector)
      return ids.map((id) => {
        const row = rowOf.get(id)
        return row === undefined ? null : cosineOf(row)
      })
    },
  }
}

export type NearestTable = ReturnType<typeof createNearestTable>
