// The signs of many vectors in memory that WebAssembly compares. They lie in stretches of rows side by side: reading rows that
// are scattered takes ten times as long. A stretch that nobody needs any more is given out again.
import { bytesOfSigns, createFindNear, farthest, mostSigns, places, rowsTogether, writeQuery } from './sign-scan.ts'
import { pageBytes } from './wasm.ts'

/** Room for so many rows; it begins at this byte. */
export type Stretch = { readonly start: number; readonly room: number }

const pagesAtOnce = 16

/** Of vectors with `length` components, the signs of so many are held. */
const signsOf = (length: number): number => Math.min(length, mostSigns)

export const signBytes = (length: number): number => bytesOfSigns(signsOf(length))

/** A stretch has room for a tile, or for four times as many rows as one of the next smaller kind: so they fit again. */
const growth = 4

/** Of vectors with `length` components. */
export const createSigns = (length: number) => {
  const count = signsOf(length)
  const bytes = signBytes(length)
  /** Of which components: some from everywhere, since models put what matters most in front. */
  const chosen = Array.from({ length: count }, (_, sign) => Math.floor((sign * length) / count))
  const memory = new WebAssembly.Memory({ initial: 1 })
  const findNear = createFindNear(memory, bytes)
  const free = new Map<number, Stretch[]>()
  const asked = new Float32Array(count)
  let held = new Uint8Array(memory.buffer)
  let end: number = places.rows

  const append = (room: number): Stretch => {
    const start = end
    end += room * bytes
    const missing = end - memory.buffer.byteLength
    if (missing > 0) {
      memory.grow(Math.max(pagesAtOnce, Math.ceil(missing / pageBytes)))
      held = new Uint8Array(memory.buffer)
    }
    return { start, room }
  }
  /** Of eight components, a bit each: set for those that are not negative. */
  const byteOf = (vector: Int8Array, byte: number): number => {
    let signs = 0
    for (let bit = 0; bit < 8; bit += 1) {
      const component = chosen[byte * 8 + bit]
      if (component !== undefined && (vector[component] ?? 0) >= 0) signs |= 1 << bit
    }
    return signs
  }
  /** Where the first byte of a row lies; the others follow with those of the other rows of the tile between them. */
  const addressOf = ({ start }: Stretch, place: number): number => {
    const within = place % rowsTogether
    return start + (place - within) * bytes + within
  }
  return {
    length,
    /** Room for so many rows at least. */
    take: (rows: number): Stretch => {
      const room = rowsTogether * growth ** Math.max(0, Math.ceil(Math.log2(rows / rowsTogether) / Math.log2(growth)))
      return free.get(room)?.pop() ?? append(room)
    },
    giveBack: (stretch: Stretch): void => {
      const others = free.get(stretch.room)
      if (others) others.push(stretch)
      else free.set(stretch.room, [stretch])
    },
    write: (stretch: Stretch, place: number, vector: Int8Array): void => {
      const address = addressOf(stretch, place)
      for (let byte = 0; byte < bytes; byte += 1) held[address + byte * rowsTogether] = byteOf(vector, byte)
    },
    copy: (from: Stretch, place: number, to: Stretch, itsPlace: number): void => {
      const [source, target] = [addressOf(from, place), addressOf(to, itsPlace)]
      for (let at = 0; at < bytes * rowsTogether; at += rowsTogether) held[target + at] = held[source + at] ?? 0
    },
    /** What is asked for until something else is. */
    ask: (vector: Float32Array): void => {
      for (let sign = 0; sign < count; sign += 1) asked[sign] = vector[chosen[sign] ?? 0] ?? 0
      writeQuery(asked, held.subarray(places.query, places.distances))
    },
    /**
     * Which of the rows from one place up to another are at most so far away, the distance in the upper half of a number, how many
     * rows were before it in the lower; the first is that of a tile. To be read before the next is asked for.
     */
    near: ({ start }: Stretch, { from, to }: { from: number; to: number }, most: number): Uint32Array => {
      const stop = Math.ceil(to / rowsTogether) * rowsTogether
      const told = findNear(start + from * bytes, start + stop * bytes, places.near, Math.min(most, farthest))
      return new Uint32Array(memory.buffer, places.near, (told - places.near) / 4)
    },
  }
}

export type Signs = ReturnType<typeof createSigns>
