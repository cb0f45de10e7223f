// Which of many rows have signs that differ from those of a query in few places: the inner loop of looking for what is near
// in meaning, as a WebAssembly function with vector instructions, put together for one length of rows. Sixteen rows lie in a
// tile, the first byte of each, then the second of each, and so on: what differs is counted for all of them at once, and nothing
// has to be added up across a row. Where counting bits takes many instructions, bits of sixteen bytes are added first: what is
// carried out of them is counted once.
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

/** Of counting what differs in all bytes of a tile: the instructions, which leave it in the first lane; and how many lanes they take. */
type Counted = { count: number[]; lanes: number }

/** The bytes of a tile that differ from the query's. */
const differing = (byte: number): number[] => [
  ...[...get(locals.tile), ...loadLanes(byte * laneBytes), ...constant(places.query), ...loadLanes(byte * laneBytes)],
  ...op.xor,
]

/** Byte by byte, into two sums by turns, so that one need not wait for the other. */
const countEach = (from: number, to: number, first: number): Counted => {
  const sums = [first, first + 1] as const
  const countOne = (byte: number): number[] => {
    const sum = sums[byte % 2] ?? first
    return [...get(sum), ...differing(byte), ...op.countBitsOfBytes, ...op.addBytesUpTo255, ...set(sum)]
  }
  const bytes = Array.from({ length: to - from }, (_, at) => from + at)
  return {
    lanes: sums.length,
    count: [
      ...[...noLanes, ...set(sums[1])],
      ...bytes.flatMap(countOne),
      ...[...get(sums[0]), ...get(sums[1]), ...op.addBytesUpTo255, ...set(sums[0])],
    ],
  }
}

/** So many bytes are added bit by bit before what is carried out of them is counted. */
const addedTogether = 16
const levels = Math.log2(addedTogether)

/**
 * By adders that carry: of each bit of three lanes, one lane says whether it is set in an odd number of them, another whether in
 * two or more. What is over stays in a lane for each level, and sixteen bytes carry once out of the last. Bytes that are left
 * over are counted each.
 */
const countByAdders = (bytes: number, first: number): Counted => {
  const whole = bytes - (bytes % addedTogether)
  const rest = countEach(whole, bytes, first)
  const [carried, odd] = [first + rest.lanes, first + rest.lanes + 1]
  /** Of each level: what is over, and the two that are added to it. */
  const over = (level: number): number => odd + 1 + level * 3
  const add = (level: number, carry: number): number[] => {
    const [held, one, other] = [over(level), over(level) + 1, over(level) + 2]
    return [
      ...[...get(one), ...get(other), ...op.xor, ...set(odd)],
      ...[...get(one), ...get(other), ...op.andLanes, ...get(odd), ...get(held), ...op.andLanes, ...op.orLanes],
      ...[...get(odd), ...get(held), ...op.xor, ...set(held)],
      ...set(carry),
    ]
  }
  /** Adds twice as many bytes as the level below, which puts into the two what it carries. */
  const addBytes = (from: number, level: number, carry: number): number[] => {
    const half = 2 ** level
    const put = (start: number, lane: number): number[] =>
      level === 0 ? [...differing(start), ...set(lane)] : addBytes(start, level - 1, lane)
    return [...put(from, over(level) + 1), ...put(from + half, over(level) + 2), ...add(level, carry)]
  }
  const addBlock = (block: number): number[] => [
    ...addBytes(block * addedTogether, levels - 1, odd),
    ...[...get(carried), ...get(odd), ...op.countBitsOfBytes, ...op.addBytesUpTo255, ...set(carried)],
  ]
  /** What is carried counts twice as much as what is over. */
  const joinLevel = (level: number): number[] => [
    ...[...get(carried), ...get(carried), ...op.addBytesUpTo255],
    ...[...get(over(level)), ...op.countBitsOfBytes, ...op.addBytesUpTo255, ...set(carried)],
  ]
  const all = Array.from({ length: levels }, (_, level) => level)
  return {
    lanes: over(levels) - first,
    count: [
      ...rest.count,
      ...[carried, ...all.map(over)].flatMap((lane) => [...noLanes, ...set(lane)]),
      ...Array.from({ length: whole / addedTogether }, (_, block) => addBlock(block)).flat(),
      ...all.toReversed().flatMap(joinLevel),
      ...[...get(first), ...get(carried), ...op.addBytesUpTo255, ...set(first)],
    ],
  }
}

/** How bits are counted: arm has an instruction for it, where others take eight. */
export type Way = 'each' | 'adders'
const quicker: Way = process.arch === 'arm64' ? 'each' : 'adders'

/** `findNear(tile, end, out, most)`: four numbers in, then locals. */
const locals = { tile: 0, end: 1, out: 2, most: 3, place: 4, near: 5, row: 6, limit: 7, sum: 8 } as const

const codeFor = (bytes: number, way: Way): { body: number[]; lanes: number } => {
  const { tile, end, out, most, place, near, row, limit, sum } = locals
  const { count, lanes } =
    way === 'each' || bytes < addedTogether ? countEach(0, bytes, sum) : countByAdders(bytes, sum)
  const tellNext = [
    ...[...get(near), ...op.zerosBefore, ...set(row)],
    ...get(out),
    ...[...get(row), ...constant(places.distances), ...op.addI32, ...op.loadByte, ...constant(16), ...op.shiftLeft],
    ...[...get(place), ...get(row), ...op.addI32, ...op.orI32, ...op.storeI32],
    ...[...get(out), ...constant(4), ...op.addI32, ...set(out)],
    ...[...get(near), ...get(near), ...constant(1), ...op.subtract, ...op.and, ...setAndGet(near), ...op.loopAgainIf],
  ]
  const body = [
    ...[...get(most), ...op.bytesAlike, ...set(limit)],
    ...op.loop,
    ...[...noLanes, ...set(sum), ...count],
    ...[...get(sum), ...get(limit), ...op.areBytesAtMost, ...op.bitOfEachByte, ...setAndGet(near)],
    ...[...op.if, ...constant(places.distances), ...get(sum), ...op.storeLanes],
    ...[...op.loop, ...tellNext, ...op.end],
    ...op.end,
    ...[...get(place), ...constant(rowsTogether), ...op.addI32, ...set(place)],
    ...[...get(tile), ...constant(bytes * laneBytes), ...op.addI32, ...setAndGet(tile)],
    ...[...get(end), ...op.isBelow, ...op.loopAgainIf],
    ...op.end,
    ...get(out),
    ...op.end,
  ]
  return { body, lanes: 1 + lanes }
}

/**
 * Looks at the tiles from one address up to another and writes the rows that are at most `most` places away to `out`: the distance
 * in the upper half of a number, how many rows were before it in the lower. Where that ends.
 */
export type FindNear = (tile: number, end: number, out: number, most: number) => number

/** For rows of so many bytes. */
export const createFindNear = (memory: WebAssembly.Memory, bytes: number, way = quicker): FindNear =>
  functionOf(memory, { given: 4, returns: true, numbers: 3, ...codeFor(bytes, way) }) as FindNear
