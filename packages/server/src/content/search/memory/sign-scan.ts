// Estimates the distance of rows to a query from the signs of some components: the inner loop of the nearest-neighbor
// search, as a WebAssembly SIMD function generated for one row length. For each query, a table has the distance that
// each pattern of four signs adds; one instruction looks it up for sixteen rows. Sixteen rows form a tile: the first
// byte of each row, then the second of each, and so on.
import {
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
  splat,
} from './wasm.ts'

/** Maximum number of rows per call, which is the size of the output. */
export const rowsAtOnce = 4_096

/** Rows per instruction, one byte each. */
export const rowsTogether = laneBytes

/** The maximum distance; larger ones are capped. */
export const maxDistance = 255

/** The distance of an unrelated row. The opposite half-space has almost no range left, because it is of no interest. */
const unrelated = 240

/** Signs per table lookup: a lookup has sixteen entries. */
const signsTogether = 4
const patterns = 2 ** signsTogether

/** With more signs, the range of a byte is too small to separate unrelated rows from near ones. */
export const maxSigns = 256

/** Bytes per row with this number of signs. */
export const bytesOfSigns = (signs: number): number => Math.ceil(signs / 8)

/**
 * Memory layout: the query table with the distance of each pattern of four signs, the distances of a tile, the output,
 * and the rows.
 */
export const places = { query: 0, distances: 4_096, near: 8_192, rows: pageBytes } as const

/** Writes the query table from as many components as rows have signs. */
export const writeQuery = (components: Float32Array, to: Uint8Array): void => {
  let all = 0
  for (let at = 0; at < components.length; at += 1) all += Math.abs(components[at] ?? 0)
  const unit = all === 0 ? 0 : unrelated / all
  const distances = new Float64Array(patterns)
  for (let first = 0; first < components.length; first += signsTogether) {
    // Without set signs, a row differs in all components that are not negative; each set sign removes one.
    distances[0] = 0
    for (let at = first; at < first + signsTogether; at += 1) distances[0] += 2 * Math.max(components[at] ?? 0, 0)
    for (let pattern = 1; pattern < patterns; pattern += 1) {
      const lowest = 31 - Math.clz32(pattern & -pattern)
      distances[pattern] = (distances[pattern & (pattern - 1)] ?? 0) - 2 * (components[first + lowest] ?? 0)
    }
    const start = (first / signsTogether) * patterns
    for (let pattern = 0; pattern < patterns; pattern += 1)
      to[start + pattern] = Math.min(maxDistance, Math.round((distances[pattern] ?? 0) * unit))
  }
}

/** `findNear(tile, end, out, most)`: four parameters, then locals: integers, then vectors. */
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

/**
 * Adds the distances of the lower and the upper half of each byte to two separate sums, for instruction-level
 * parallelism.
 */
const addByte = (byte: number): number[] => {
  const { tile, lowHalf, signs, low, high } = locals
  const lookup = (half: 0 | 1, pattern: number[]): number[] => [
    ...[...constant(places.query), ...loadLanes((byte * 2 + half) * patterns)],
    ...[...pattern, ...get(lowHalf), ...op.andLanes, ...op.lookUp, ...op.addBytesUpTo255],
  ]
  return [
    ...[...get(tile), ...loadLanes(byte * laneBytes), ...set(signs)],
    ...[...get(low), ...lookup(0, get(signs)), ...set(low)],
    ...[...get(high), ...lookup(1, [...get(signs), ...constant(signsTogether), ...op.shiftPairsRight]), ...set(high)],
  ]
}

const instructions = (bytes: number): number[] => {
  const { tile, end, out, most, place, near, row, limit, lowHalf, low, high } = locals
  const writeNext = [
    ...[...get(near), ...op.zerosBefore, ...set(row)],
    ...get(out),
    ...[...get(row), ...constant(places.distances), ...op.addI32, ...op.loadByte, ...constant(16), ...op.shiftLeft],
    ...[...get(place), ...get(row), ...op.addI32, ...op.orI32, ...op.storeI32],
    ...[...get(out), ...constant(4), ...op.addI32, ...set(out)],
    ...[...get(near), ...get(near), ...constant(1), ...op.subtract, ...op.and, ...setAndGet(near), ...op.loopAgainIf],
  ]
  return [
    ...[...get(most), ...op.bytesAlike, ...set(limit)],
    ...[...splat(patterns - 1), ...set(lowHalf)],
    ...op.loop,
    ...[low, high].flatMap((sum) => [...noLanes, ...set(sum)]),
    ...Array.from({ length: bytes }, (_, byte) => addByte(byte)).flat(),
    ...[...get(low), ...get(high), ...op.addBytesUpTo255, ...set(low)],
    ...[...get(low), ...get(limit), ...op.areBytesAtMost, ...op.bitOfEachByte, ...setAndGet(near)],
    ...[...op.if, ...constant(places.distances), ...get(low), ...op.storeLanes],
    ...[...op.loop, ...writeNext, ...op.end],
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
 * Scans the tiles between two addresses and writes the rows up to the distance `most` to `out`: the distance in the
 * upper half of a number, the index of the row in the lower half. Returns the end of the output.
 */
export type FindNear = (tile: number, end: number, out: number, most: number) => number

/** `bytes`: the number of bytes per row. */
export const createFindNear = (memory: WebAssembly.Memory, bytes: number): FindNear =>
  functionOf(memory, { given: 4, returns: true, numbers: 3, lanes: 5, body: instructions(bytes) }) as FindNear
