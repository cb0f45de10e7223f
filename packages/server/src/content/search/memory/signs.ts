// The signs of many vectors in WebAssembly memory, in stretches of adjacent rows: scattered rows take ten times as long
// to read. Freed stretches are reused.
import { bytesOfSigns, createFindNear, maxDistance, maxSigns, places, rowsTogether, writeQuery } from './sign-scan.ts'
import { pageBytes } from './wasm.ts'

/** Space for `room` rows at the byte `start`. */
export type Stretch = { readonly start: number; readonly room: number }

const pagesAtOnce = 16

/** Number of signs for vectors with `length` components. */
const signsOf = (length: number): number => Math.min(length, maxSigns)

export const signBytes = (length: number): number => bytesOfSigns(signsOf(length))

/** A stretch has room for one tile, or four times the next smaller size, so that freed stretches fit again. */
const growth = 4

/** `length`: the number of components of each vector. */
export const createSigns = (length: number) => {
  const count = signsOf(length)
  const bytes = signBytes(length)
  /**
   * The components whose signs are used: spread over the vector, denser at its start, where some models put the most
   * important ones.
   */
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
  /** The sign bits of eight components: 1 for those that are not negative. */
  const byteOf = (vector: Int8Array, byte: number): number => {
    let signs = 0
    for (let bit = 0; bit < 8; bit += 1) {
      const component = chosen[byte * 8 + bit]
      if (component !== undefined && (vector[component] ?? 0) >= 0) signs |= 1 << bit
    }
    return signs
  }
  /** The address of a row's first byte; its further bytes follow at the distance of a tile's width. */
  const addressOf = ({ start }: Stretch, place: number): number => {
    const within = place % rowsTogether
    return start + (place - within) * bytes + within
  }
  return {
    length,
    /** Allocates space for at least this number of rows. */
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
    /** Sets the query for the following scans. */
    ask: (vector: Float32Array): void => {
      for (let sign = 0; sign < count; sign += 1) asked[sign] = vector[chosen[sign] ?? 0] ?? 0
      writeQuery(asked, held.subarray(places.query, places.distances))
    },
    /**
     * The rows between two places up to a distance: the distance in the upper half of a number, the offset in the lower
     * half. `from` must be the start of a tile. The result is valid until the next call.
     */
    near: ({ start }: Stretch, { from, to }: { from: number; to: number }, most: number): Uint32Array => {
      const stop = Math.ceil(to / rowsTogether) * rowsTogether
      const foundEnd = findNear(start + from * bytes, start + stop * bytes, places.near, Math.min(most, maxDistance))
      return new Uint32Array(memory.buffer, places.near, (foundEnd - places.near) / 4)
    },
  }
}

export type Signs = ReturnType<typeof createSigns>
