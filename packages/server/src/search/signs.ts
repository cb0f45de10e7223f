// The signs of many vectors in memory that WebAssembly compares. They lie in stretches of rows side by side: reading rows that
// are scattered takes ten times as long. A stretch that nobody needs any more is given out again.
import { createFindNear, farthest, places, rowsTogether } from './hamming.ts'
import { writeSigns } from './vectors.ts'
import { pageBytes } from './wasm.ts'

/** Room for so many rows; it begins at this byte. */
export type Stretch = { readonly start: number; readonly room: number }

const pagesAtOnce = 16

export const signBytes = (length: number): number => Math.ceil(length / 8)

/** A stretch has room for a tile, or for four times as many rows as one of the next smaller kind: so they fit again. */
const growth = 4

/** Of vectors with `length` components. */
export const createSigns = (length: number) => {
  const bytes = signBytes(length)
  const memory = new WebAssembly.Memory({ initial: 1 })
  const findNear = createFindNear(memory, bytes)
  const free = new Map<number, Stretch[]>()
  const signs = new Uint8Array(bytes)
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
      writeSigns(vector.subarray(0, length), signs)
      const address = addressOf(stretch, place)
      for (let byte = 0; byte < bytes; byte += 1) held[address + byte * rowsTogether] = signs[byte] ?? 0
    },
    copy: (from: Stretch, place: number, to: Stretch, itsPlace: number): void => {
      const [source, target] = [addressOf(from, place), addressOf(to, itsPlace)]
      for (let at = 0; at < bytes * rowsTogether; at += rowsTogether) held[target + at] = held[source + at] ?? 0
    },
    /** What is asked for until something else is. */
    ask: (vector: Float32Array): void => {
      writeSigns(vector.subarray(0, length), signs)
      for (let byte = 0; byte < bytes; byte += 1)
        held.fill(signs[byte] ?? 0, places.query + byte * rowsTogether, places.query + (byte + 1) * rowsTogether)
    },
    /** Tells which of the rows from one place up to another differ in at most so many signs; the first is that of a tile. */
    near: (
      { start }: Stretch,
      { from, to }: { from: number; to: number },
      most: number,
      tell: (place: number, distance: number) => void,
    ): void => {
      const stop = Math.ceil(to / rowsTogether) * rowsTogether
      const told = findNear(start + from * bytes, start + stop * bytes, places.near, Math.min(most, farthest))
      const found = new Uint32Array(memory.buffer, places.near, (told - places.near) / 4)
      for (let index = 0; index < found.length; index += 1) {
        const one = found[index] ?? 0
        const place = from + (one & 0xffff)
        // What lies behind the last row was a row once, or nothing.
        if (place < to) tell(place, one >>> 16)
      }
    },
  }
}

export type Signs = ReturnType<typeof createSigns>
