// Vectors in memory, by who may find them, and the nearest to one among those that a caller may find. Knows no database.
// Signs are compared first, all of them; of those that differ least the cosine is taken over bytes. Rows that the caller may
// not find are not looked at, so that they cannot be told by what is found, nor by how long it takes.
import { createCompare, laneBytes, places, slotsAtOnce } from './hamming.ts'
import { magnitudeOf, writeSigns } from './vectors.ts'

export type TableRow = { id: string; kind: string; audience: string; components: Int8Array }

export type Near = { id: string; cosine: number }

/** Of a kind: whose rows are looked at. */
export type Audiences = ReadonlyMap<string, readonly string[]>

/** Compared exactly, of those of a kind whose signs differ least. */
const comparedExactly = 100

/** Distances that are passed over together where none of them is among the least. */
const surveyed = 64

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
  const compare = createCompare(memory, lanes)
  const blocks: Int8Array[] = []
  const slotOf = new Map<string, number>()
  const ids: string[] = []
  const homes: Group[] = []
  const positions: number[] = []
  const magnitudes: number[] = []
  const free: number[] = []
  const groups = new Map<string, Group>()
  let distances = new Uint16Array(slotsAtOnce)

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

  /** Fills `distances` with those of all slots of these groups, one after the other. */
  const compareAll = (asked: readonly Group[]): void => {
    const slots = new Int32Array(memory.buffer, places.slots, slotsAtOnce)
    const answers = new Uint16Array(memory.buffer, places.distances, slotsAtOnce)
    let done = 0
    for (const group of asked)
      for (let start = 0; start < group.count; start += slotsAtOnce) {
        const count = Math.min(slotsAtOnce, group.count - start)
        slots.set(group.slots.subarray(start, start + count))
        compare(places.slots, places.slots + count * 4, places.distances)
        distances.set(answers.subarray(0, count), done)
        done += count
      }
  }

  /** Of each block of distances the least, and how many there are of each distance. */
  const survey = (all: Uint16Array): { leasts: Uint16Array; counts: Uint32Array } => {
    const leasts = new Uint16Array(Math.ceil(all.length / surveyed))
    const counts = new Uint32Array(length + 1)
    for (let block = 0; block < leasts.length; block += 1) {
      const end = Math.min(all.length, (block + 1) * surveyed)
      let least = length
      for (let place = block * surveyed; place < end; place += 1) {
        const distance = all[place] ?? 0
        counts[distance] = (counts[distance] ?? 0) + 1
        if (distance < least) least = distance
      }
      leasts[block] = least
    }
    return { leasts, counts }
  }

  /** The distance of the last one to be compared exactly, and how many of those at that distance are. */
  const cut = (counts: Uint32Array): { last: number; ties: number } => {
    let ties = comparedExactly
    for (let last = 0; last < length; last += 1) {
      const count = counts[last] ?? 0
      if (count >= ties) return { last, ties }
      ties -= count
    }
    return { last: length, ties }
  }

  /** The places of those that are to be compared exactly. */
  const placesOf = (all: Uint16Array): number[] => {
    const { leasts, counts } = survey(all)
    let { last, ties } = cut(counts)
    const found: number[] = []
    for (let block = 0; block < leasts.length; block += 1) {
      if ((leasts[block] ?? 0) > last) continue
      const end = Math.min(all.length, (block + 1) * surveyed)
      for (let place = block * surveyed; place < end; place += 1) {
        const distance = all[place] ?? 0
        if (distance > last || (distance === last && ties === 0)) continue
        if (distance === last) ties -= 1
        found.push(place)
      }
    }
    return found
  }

  const nearestOf = (asked: readonly Group[], vector: Float32Array, magnitude: number): Near[] => {
    const total = asked.reduce((sum, group) => sum + group.count, 0)
    if (distances.length < total) distances = new Uint16Array(total * 2)
    compareAll(asked)
    const near: Near[] = []
    let group = 0
    let before = 0
    for (const place of placesOf(distances.subarray(0, total))) {
      while (place - before >= (asked[group]?.count ?? Number.POSITIVE_INFINITY)) {
        before += asked[group]?.count ?? 0
        group += 1
      }
      const slot = asked[group]?.slots[place - before] ?? 0
      near.push({ id: ids[slot] ?? '', cosine: cosineAt(slot, vector, magnitude) })
    }
    return near
  }

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
    /** Null for what has no vector here. */
    cosineTo: (vector: Float32Array, id: string): number | null => {
      const slot = slotOf.get(id)
      return slot === undefined ? null : cosineAt(slot, vector, magnitudeOf(vector))
    },
  }
}

export type NearestTable = ReturnType<typeof createNearestTable>
