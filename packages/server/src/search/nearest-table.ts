// Vectors in memory, by who may find them, and the nearest to one among those that a caller may find. Knows no database.
// Signs are compared first, all of them; of those that differ least the cosine is taken over bytes. Rows that the caller may
// not find are not looked at, so that they cannot be told by what is found, nor by how long it takes.
import { createFindNear, laneBytes, places, slotsAtOnce } from './hamming.ts'
import { magnitudeOf, writeSigns } from './vectors.ts'

export type TableRow = { id: string; kind: string; audience: string; components: Int8Array }

export type Near = { id: string; cosine: number }

/** Of a kind: whose rows are looked at. */
export type Audiences = ReadonlyMap<string, readonly string[]>

/** Compared exactly, of those of a kind whose signs differ least. */
const comparedExactly = 100

/** So many are looked at before it is known how far away the near ones are at most. */
const slotsAtFirst = 256

const rowsOfBlock = 1_024
const pagesAtOnce = 16

/** What a row takes beside its vector: its id, its place among others. */
const bookkeepingBytes = 200

/** The slots of rows that have kind and audience in common. */
type Group = { readonly key: string; slots: Int32Array; count: number }

const lanesOf = (length: number): number => Math.ceil(length / (laneBytes * 8))

export const bytesOfRow = (length: number): number => lanesOf(length) * laneBytes + length + bookkeepingBytes

/** Of vectors with `length` components. */
export const createNearestTable = (length: number) => {
  const lanes = lanesOf(length)
  const memory = new WebAssembly.Memory({ initial: 1 + pagesAtOnce })
  const findNear = createFindNear(memory, lanes)
  const blocks: Int8Array[] = []
  const slotOf = new Map<string, number>()
  const ids: string[] = []
  const homes: Group[] = []
  const positions: number[] = []
  const magnitudes: number[] = []
  const free: number[] = []
  const groups = new Map<string, Group>()

  const keyOf = (kind: string, audience: string): string => `${kind} ${audience}`
  const componentsAt = (slot: number): Int8Array => {
    const start = (slot % rowsOfBlock) * length
    return (blocks[Math.floor(slot / rowsOfBlock)] ?? new Int8Array(0)).subarray(start, start + length)
  }
  /** Of what was put there and a vector of the given magnitude. */
  const cosineAt = (slot: number, vector: Float32Array, magnitude: number): number => {
    const block = blocks[Math.floor(slot / rowsOfBlock)] ?? new Int8Array(0)
    const start = (slot % rowsOfBlock) * length
    let product = 0
    // Counted by hand and without a view of the row: this runs for every near document of every query.
    for (let index = 0; index < length; index += 1) product += (vector[index] ?? 0) * (block[start + index] ?? 0)
    const both = magnitude * (magnitudes[slot] ?? 0)
    return both === 0 ? 0 : product / both
  }
  const signsAt = (slot: number): Uint8Array => {
    const start = places.rows + slot * lanes * laneBytes
    if (start + lanes * laneBytes > memory.buffer.byteLength) memory.grow(pagesAtOnce)
    return new Uint8Array(memory.buffer, start, lanes * laneBytes)
  }
  const newSlot = (): number => {
    const slot = free.pop() ?? ids.length
    if (slot === blocks.length * rowsOfBlock) blocks.push(new Int8Array(rowsOfBlock * length))
    return slot
  }
  const join = (group: Group, slot: number): void => {
    if (group.count === group.slots.length) {
      const wider = new Int32Array(group.slots.length * 2)
      wider.set(group.slots)
      group.slots = wider
    }
    group.slots[group.count] = slot
    positions[slot] = group.count
    homes[slot] = group
    group.count += 1
  }
  /** The last one takes its place. */
  const leave = (slot: number): void => {
    const group = homes[slot]
    const position = positions[slot]
    if (!group || position === undefined) return
    group.count -= 1
    const last = group.slots[group.count] ?? slot
    group.slots[position] = last
    positions[last] = position
    if (group.count === 0) groups.delete(group.key)
  }

  const put = ({ id, kind, audience, components }: TableRow): void => {
    const held = slotOf.get(id)
    const slot = held ?? newSlot()
    if (held !== undefined) leave(held)
    const key = keyOf(kind, audience)
    const group: Group = groups.get(key) ?? { key, slots: new Int32Array(4), count: 0 }
    groups.set(key, group)
    ids[slot] = id
    slotOf.set(id, slot)
    componentsAt(slot).set(components)
    magnitudes[slot] = magnitudeOf(components)
    writeSigns(components, signsAt(slot))
    join(group, slot)
  }

  const remove = (id: string): void => {
    const slot = slotOf.get(id)
    if (slot === undefined) return
    leave(slot)
    slotOf.delete(id)
    free.push(slot)
  }

  type Cut = { last: number; ties: number; isFull: boolean }

  /** The distance of the last one to be compared exactly, how many of those at that distance are, and whether there are as many. */
  const cut = (counts: Uint32Array, most: number): Cut => {
    let ties = comparedExactly
    for (let last = 0; last <= most; last += 1) {
      const count = counts[last] ?? 0
      if (count >= ties) return { last, ties, isFull: true }
      ties -= count
    }
    return { last: most, ties: comparedExactly, isFull: false }
  }

  /** The slots of those that are to be compared exactly. Once there are as many, only what is nearer than the last is of use. */
  const slotsNear = (asked: readonly Group[]): number[] => {
    const slots = new Int32Array(memory.buffer, places.slots, slotsAtOnce)
    const near = new Uint32Array(memory.buffer, places.near, slotsAtOnce)
    const counts = new Uint32Array(length + 1)
    const found: { slot: number; distance: number }[] = []
    let { last, ties, isFull }: Cut = { last: length, ties: comparedExactly, isFull: false }
    for (const group of asked)
      for (let start = 0; start < group.count && !(isFull && last === 0); ) {
        const count = Math.min(isFull ? slotsAtOnce : slotsAtFirst, group.count - start)
        slots.set(group.slots.subarray(start, start + count))
        start += count
        const most = isFull ? last - 1 : last
        const end = (findNear(places.slots, places.slots + count * 4, places.near, most) - places.near) / 4
        for (let index = 0; index < end; index += 1) {
          const one = near[index] ?? 0
          found.push({ slot: slots[one & 0xffff] ?? 0, distance: one >>> 16 })
          counts[one >>> 16] = (counts[one >>> 16] ?? 0) + 1
        }
        ;({ last, ties, isFull } = cut(counts, last))
      }
    return found.flatMap(({ slot, distance }) => {
      if (distance > last || (distance === last && ties === 0)) return []
      if (distance === last) ties -= 1
      return slot
    })
  }

  const nearestOf = (asked: readonly Group[], vector: Float32Array, magnitude: number): Near[] =>
    slotsNear(asked).map((slot) => ({ id: ids[slot] ?? '', cosine: cosineAt(slot, vector, magnitude) }))

  return {
    length,
    size: (): number => slotOf.size,
    put,
    remove,
    /** Of each kind so many, the nearest first. */
    nearest: (vector: Float32Array, audiences: Audiences, limit: number): Near[] => {
      writeSigns(vector, new Uint8Array(memory.buffer, places.query, lanes * laneBytes))
      const magnitude = magnitudeOf(vector)
      return [...audiences].flatMap(([kind, who]) => {
        const asked = who.flatMap((audience) => groups.get(keyOf(kind, audience)) ?? [])
        return nearestOf(asked, vector, magnitude)
          .sort((a, b) => b.cosine - a.cosine || (a.id < b.id ? -1 : 1))
          .slice(0, limit)
      })
    },
    /** Of each, how near it is; null for what has no vector here. */
    cosinesTo: (vector: Float32Array, ids: readonly string[]): (number | null)[] => {
      const magnitude = magnitudeOf(vector)
      return ids.map((id) => {
        const slot = slotOf.get(id)
        return slot === undefined ? null : cosineAt(slot, vector, magnitude)
      })
    },
  }
}

export type NearestTable = ReturnType<typeof createNearestTable>
