// How far rows are from a query, told by the signs of some of their components: the inner loop of looking for what is near in
// meaning, as a WebAssembly function with vector instructions, put together for one length of rows. The signs of a row are known,
// the components of the query are known as they are: what each pattern of four signs adds to the distance is written down once
// for a query, and then looked up, for sixteen rows by one instruction. Those lie in a tile: the first byte of each, then the
// second of each, and so on.
import {
  alike,
  constant,
  functionOf,
  get,
  laneBytes,
  loadLanes,
  noLanes,
  op,
  pageBytes,
  set,
  setAndGet,
} from './wasm.ts'

/** One call looks at no more rows: what comes out has no more room. */
export const rowsAtOnce = 4_096

/** One instruction takes a byte of each of so many rows. */
export const rowsTogether = laneBytes

/** A distance above this is told as this. */
export const farthest = 255

/** How far a row is that has nothing to do with the query: the half that points away from it is not told apart. */
const unrelated = 240

/** So many signs are looked up together: as many as tell one of sixteen apart. */
const signsTogether = 4
const patterns = 2 ** signsTogether

/** Of more signs than this, what rows have nothing to do with could not be told from what is near. */
export const mostSigns = 256

/** What a row of so many signs takes. */
export const bytesOfSigns = (signs: number): number => Math.ceil(signs / 8)

/** Where the query lies: for each pattern of four signs, how far it is; the distances of a tile; what comes out; rows. */
export const places = { query: 0, distances: 4_096, near: 8_192, rows: pageBytes } as const

/** Of a query's components, as many as rows have signs. */
export const writeQuery = (components: Float32Array, to: Uint8Array): void => {
  let all = 0
  for (let at = 0; at < components.length; at += 1) all += Math.abs(components[at] ?? 0)
  const unit = all === 0 ? 0 : unrelated / all
  const distances = new Float64Array(patterns)
  for (let first = 0; first < components.length; first += signsTogether) {
    // Without any sign set a row differs in all components that are not negative; each sign that is set takes one of them away.
    distances[0] = 0
    for (let at = first; at < first + signsTogether; at += 1) distances[0] += 2 * Math.max(components[at] ?? 0, 0)
    for (let pattern = 1; pattern < patterns; pattern += 1) {
      const lowest = 31 - Math.clz32(pattern & -pattern)
      distances[pattern] = (distances[pattern & (pattern - 1)] ?? 0) - 2 * (components[first + lowest] ?? 0)
    }
    const start = (first / signsTogether) * patterns
    for (let pattern = 0; pattern < patterns; pattern += 1)
      to[start + pattern] = Math.min(farthest, Math.round((distances[pattern] ?? 0) * unit))
  }
}

/** `findNear(tile, end, out, most)`: four numbers in, then locals: numbers, and lanes. */
const locals = {
  tile: 0,
  end: 1,
  out: 2,
  most: 3,
  place: 4,
  near: 5,
  row: 6,
  limit: 7,
  lowHalf: 8,
  signs: 9,
  low: 10,
  high: 11,
} as const

/** What the patterns in the lower half of each byte add, and those in the upper half, into two sums, so that none waits for the other. */
const addByte = (byte: number): number[] => {
  const { tile, lowHalf, signs, low, high } = locals
  const look = (half: 0 | 1, pattern: number[]): number[] => [
    ...[...constant(places.query), ...loadLanes((byte * 2 + half) * patterns)],
    ...[...pattern, ...get(lowHalf), ...op.andLanes, ...op.lookUp, ...op.addBytesUpTo255],
  ]
  return [
    ...[...get(tile), ...loadLanes(byte * laneBytes), ...set(signs)],
    ...[...get(low), ...look(0, get(signs)), ...set(low)],
    ...[...get(high), ...look(1, [...get(signs), ...constant(signsTogether), ...op.shiftPairsRight]), ...set(high)],
  ]
}

const instructions = (bytes: number): number[] => {
  const { tile, end, out, most, place, near, row, limit, lowHalf, low, high } = locals
  const tellNext = [
    ...[...get(near), ...op.zerosBefore, ...set(row)],
    ...get(out),
    ...[...get(row), ...constant(places.distances), ...op.addI32, ...op.loadByte, ...constant(16), ...op.shiftLeft],
    ...[...get(place), ...get(row), ...op.addI32, ...op.orI32, ...op.storeI32],
    ...[...get(out), ...constant(4), ...op.addI32, ...set(out)],
    ...[...get(near), ...get(near), ...constant(1), ...op.subtract, ...op.and, ...setAndGet(near), ...op.loopAgainIf],
  ]
  return [
    ...[...get(most), ...op.bytesAlike, ...set(limit)],
    ...[...alike(patterns - 1), ...set(lowHalf)],
    ...op.loop,
    ...[low, high].flatMap((sum) => [...noLanes, ...set(sum)]),
    ...Array.from({ length: bytes }, (_, byte) => addByte(byte)).flat(),
    ...[...get(low), ...get(high), ...op.addBytesUpTo255, ...set(low)],
    ...[...get(low), ...get(limit), ...op.areBytesAtMost, ...op.bitOfEachByte, ...setAndGet(near)],
    ...[...op.if, ...constant(places.distances), ...get(low), ...op.storeLanes],
    ...[...op.loop, ...tellNext, ...op.end],
    ...op.end,
    ...[...get(place), ...constant(rowsTogether), ...op.addI32, ...set(place)],
    ...[...get(tile), ...constant(bytes * laneBytes), ...op.addI32, ...setAndGet(tile)],
    ...[...get(end), ...op.isBelow, ...op.loopAgainIf],
    ...op.end,
    ...get(out),
    ...op.end,
  ]
}

/**
 * Looks at the tiles from one address up to another and writes the rows that are at most `most` away to `out`: the distance in
 * the upper half of a number, how many rows were before it in the lower. Where that ends.
 */
export type FindNear = (tile: number, end: number, out: number, most: number) => number

/** For rows of so many bytes. */
export const createFindNear = (memory: WebAssembly.Memory, bytes: number): FindNear =>
  functionOf(memory, { given: 4, returns: true, numbers: 3, lanes: 5, body: instructions(bytes) }) as FindNear
