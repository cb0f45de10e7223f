// Which of many rows have signs that differ from those of a query in few places: the inner loop of looking for what is near
// in meaning, as a WebAssembly function with vector instructions, put together for one length of rows. Sixteen rows lie in a
// tile, the first byte of each, then the second of each, and so on: what differs is counted for all of them at once, and nothing
// has to be added up across a row.
import { constant, functionOf, get, laneBytes, loadLanes, noLanes, op, pageBytes, set, setAndGet } from './wasm.ts'

/** So many rows make a tile: one instruction takes a byte of each. */
export const rowsTogether = laneBytes

/** One call looks at no more rows: what comes out has no more room. */
export const rowsAtOnce = 4_096

/** A distance above this is told as this. */
export const farthest = 255

/** Beyond this number of signs most distances would be `farthest`. */
export const mostSigns = 512

/** Where the query lies, each of its bytes sixteen times; the distances of a tile; what comes out, four bytes for each row that is near; rows. */
export const places = { query: 0, distances: 4_096, near: 8_192, rows: pageBytes } as const

/** `findNear(tile, end, out, most)`: four numbers in, then locals. */
const instructions = (bytes: number): number[] => {
  const [tile, end, out, most, place, near, row] = [0, 1, 2, 3, 4, 5, 6]
  const sums = [7, 8] as const
  const limit = 9
  // Into two sums by turns, so that one need not wait for the other.
  const countDiffering = (byte: number): number[] => {
    const sum = sums[byte % 2] ?? sums[0]
    return [
      ...get(sum),
      ...[...get(tile), ...loadLanes(byte * laneBytes), ...constant(places.query), ...loadLanes(byte * laneBytes)],
      ...[...op.xor, ...op.countBitsOfBytes, ...op.addBytesUpTo255, ...set(sum)],
    ]
  }
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
    ...op.loop,
    ...sums.flatMap((sum) => [...noLanes, ...set(sum)]),
    ...Array.from({ length: bytes }, (_, byte) => countDiffering(byte)).flat(),
    ...[...get(sums[0]), ...get(sums[1]), ...op.addBytesUpTo255, ...setAndGet(sums[0])],
    ...[...get(limit), ...op.areBytesAtMost, ...op.bitOfEachByte, ...setAndGet(near)],
    ...[...op.if, ...constant(places.distances), ...get(sums[0]), ...op.storeLanes],
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
 * Looks at the tiles from one address up to another and writes the rows that are at most `most` places away to `out`: the distance
 * in the upper half of a number, how many rows were before it in the lower. Where that ends.
 */
export type FindNear = (tile: number, end: number, out: number, most: number) => number

/** For rows of so many bytes. */
export const createFindNear = (memory: WebAssembly.Memory, bytes: number): FindNear =>
  functionOf(memory, { given: 4, returns: true, numbers: 3, lanes: 3, body: instructions(bytes) }) as FindNear
