// The signs of many vectors in memory that WebAssembly compares. They lie in stretches of rows side by side: reading rows that
// are scattered takes ten times as long. A stretch that nobody needs any more is given out again.
import { createFindNear, laneBytes, places, rowsTogether } from './hamming.ts'
import { writeSigns } from './vectors.ts'

/** Room for so many rows; it begins at this byte. */
export type Stretch = { readonly start: number; readonly room: number }

const pagesAtOnce = 16
const pageBytes = 65_536

export const signBytes = (length: number): number => Math.ceil(length / (laneBytes * 8)) * laneBytes

/** Of vectors with `length` components. */
export const createSigns = (length: number) => {
  const bytes = signBytes(length)
  const memory = new WebAssembly.Memory({ initial: 1 })
  const findNear = createFindNear(memory, bytes / laneBytes)
  const free = new Map<number, Stretch[]>()
  let end: number = places.rows

  const append = (room: number): Stretch => {
    const start = end
    end += room * bytes
    const missing = end - memory.buffer.byteLength
    if (missing > 0) memory.grow(Math.max(pagesAtOnce, Math.ceil(missing / pageBytes)))
    return { start, room }
  }
  const at = ({ start }: Stretch, place: number): Uint8Array =>
    new Uint8Array(memory.buffer, start + place * bytes, bytes)
  const asked = (): Uint8Array => new Uint8Array(memory.buffer, places.query, bytes)
  return {
    length,
    /** Room for so many rows at least: the rooms are powers of four, so that they fit again. */
    take: (rows: number): Stretch => {
      const room = rowsTogether ** Math.max(1, Math.ceil(Math.log2(rows) / Math.log2(rowsTogether)))
      return free.get(room)?.pop() ?? append(room)
    },
    giveBack: (stretch: Stretch): void => {
      const others = free.get(stretch.room)
      if (others) others.push(stretch)
      else free.set(stretch.room, [stretch])
    },
    at,
    /** What is asked for until something else is. */
    ask: (vector: Float32Array | Int8Array): void => writeSigns(vector, asked()),
    askLike: (signs: Uint8Array): void => asked().set(signs),
    /** Tells which of the rows from one place up to another differ in at most so many signs; the first is a multiple of four. */
    near: (
      { start }: Stretch,
      { from, to }: { from: number; to: number },
      most: number,
      tell: (place: number, distance: number) => void,
    ): void => {
      const stop = Math.ceil(to / rowsTogether) * rowsTogether
      const told = findNear(start + from * bytes, start + stop * bytes, places.near, most)
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
