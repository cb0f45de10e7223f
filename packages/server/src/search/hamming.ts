// Which of many rows have signs that differ from those of a query in few places: the inner loop of looking for what is near
// in meaning, as a WebAssembly function with vector instructions, several times as fast as the same loop in JavaScript. It is
// put together here, for one length of rows, from the instructions it consists of: there is nothing to compile beforehand.

// The types of Node leave these to those of browsers.
declare global {
  namespace WebAssembly {
    class Memory {
      constructor(pages: { initial: number })
      readonly buffer: ArrayBuffer
      grow(pages: number): number
    }
    class Module {
      constructor(bytes: Uint8Array)
    }
    class Instance {
      constructor(module: Module, imports: Record<string, Record<string, unknown>>)
      readonly exports: Record<string, unknown>
    }
  }
}

/** Bytes that one instruction takes. */
export const laneBytes = 16

/** One page of WebAssembly memory. */
const pageBytes = 65_536

/** So many rows are compared together. */
export const rowsTogether = 4

/** One call looks at no more rows: what comes out has no more room. */
export const rowsAtOnce = 4_096

/** Where the query lies, and what comes out: four bytes for each row that is near. Rows lie behind that. */
export const places = { query: 0, near: 8_192, rows: pageBytes } as const

const op = {
  loop: [0x03, 0x40],
  if: [0x04, 0x40],
  end: [0x0b],
  loopAgainIf: [0x0d, 0x00],
  storeI32: [0x36, 0x02, 0x00],
  isBelow: [0x49],
  isAtMost: [0x4d],
  isAnyTrue: [0xfd, 0x53],
  areAtMost: [0xfd, 0x3e],
  addI32: [0x6a],
  orI32: [0x72],
  shiftLeft: [0x74],
  addBytes: [0xfd, 0x6e],
  addShorts: [0xfd, 0x8e, 0x01],
  addFour: [0xfd, 0xae, 0x01],
  fourAlike: [0xfd, 0x11],
  xor: [0xfd, 0x51],
  countBitsOfBytes: [0xfd, 0x62],
  sumBytePairs: [0xfd, 0x7d],
  sumShortPairs: [0xfd, 0x7f],
} as const

const unsigned = (value: number): number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]
const signed = (value: number): number[] =>
  value >= -0x40 && value < 0x40 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)]

const get = (local: number): number[] => [0x20, ...unsigned(local)]
const set = (local: number): number[] => [0x21, ...unsigned(local)]
const setAndGet = (local: number): number[] => [0x22, ...unsigned(local)]
const constant = (value: number): number[] => [0x41, ...signed(value)]
const loadLanes = (offset: number): number[] => [0xfd, 0x00, 0x04, ...unsigned(offset)]
const lane = (index: number): number[] => [0xfd, 0x1b, index]

const sized = (bytes: readonly number[]): number[] => [...unsigned(bytes.length), ...bytes]
const section = (id: number, bytes: readonly number[]): number[] => [id, ...sized(bytes)]
const named = (name: string): number[] => sized([...Buffer.from(name)])

/** So many counts of bits, each at most eight, fit into a byte together. */
const countsOfByte = 31

/** Leaves the sum of all lanes' differing bits, as four numbers. */
const countDiffering = (lanes: number, row: number, offset: number, query: number): number[] => {
  const differing = (index: number): number[] => [
    ...get(row),
    ...loadLanes(offset + index * laneBytes),
    ...get(query + index),
    ...op.xor,
    ...op.countBitsOfBytes,
  ]
  const found: number[] = []
  for (let start = 0; start < lanes; start += countsOfByte) {
    for (let index = start; index < Math.min(lanes, start + countsOfByte); index += 1)
      found.push(...differing(index), ...(index === start ? [] : op.addBytes))
    found.push(...op.sumBytePairs, ...(start === 0 ? [] : op.addShorts))
  }
  return [...found, ...op.sumShortPairs]
}

/** Some of eight numbers, four of each of two locals. */
const chosen = (one: number, other: number, numbers: readonly number[]): number[] => [
  ...get(one),
  ...get(other),
  ...[0xfd, 0x0d],
  ...numbers.flatMap((number) => [0, 1, 2, 3].map((byte) => number * 4 + byte)),
]

/** Leaves the sums of four times four numbers, one of each. */
const addUp = (sums: readonly number[]): number[] => {
  const [a = 0, b = 0, c = 0, d = 0] = sums
  const halves = (one: number, other: number) => [
    ...chosen(one, other, [0, 4, 1, 5]),
    ...chosen(one, other, [2, 6, 3, 7]),
    ...op.addFour,
  ]
  return [
    ...[...halves(a, b), ...set(a), ...halves(c, d), ...set(c)],
    ...[...chosen(a, c, [0, 1, 4, 5]), ...chosen(a, c, [2, 3, 6, 7]), ...op.addFour],
  ]
}

/** `findNear(row, end, out, most)`: four numbers in, then locals: how many rows were before, a distance, sums, the query's lanes. */
const instructions = (lanes: number): number[] => {
  const [row, end, out, most, place, distance] = [0, 1, 2, 3, 4, 5]
  const sums = [6, 7, 8, 9]
  const query = 10
  const each = (list: readonly unknown[], write: (index: number) => number[]): number[] =>
    list.flatMap((_, index) => write(index))
  const tellIfNear = (index: number): number[] => [
    ...[...get(6), ...lane(index), ...setAndGet(distance), ...get(most), ...op.isAtMost],
    ...op.if,
    ...get(out),
    ...[...get(distance), ...constant(16), ...op.shiftLeft],
    ...[...get(place), ...constant(index), ...op.addI32, ...op.orI32, ...op.storeI32],
    ...[...get(out), ...constant(4), ...op.addI32, ...set(out)],
    ...op.end,
  ]
  return [
    ...each(Array(lanes).fill(0), (index) => [
      ...constant(places.query),
      ...loadLanes(index * laneBytes),
      ...set(query + index),
    ]),
    ...op.loop,
    ...each(sums, (index) => [
      ...countDiffering(lanes, row, index * lanes * laneBytes, query),
      ...set(sums[index] ?? 0),
    ]),
    ...[...addUp(sums), ...setAndGet(6), ...get(most), ...op.fourAlike, ...op.areAtMost, ...op.isAnyTrue],
    ...op.if,
    ...each(sums, tellIfNear),
    ...op.end,
    ...[...get(place), ...constant(rowsTogether), ...op.addI32, ...set(place)],
    ...[...get(row), ...constant(rowsTogether * lanes * laneBytes), ...op.addI32, ...setAndGet(row)],
    ...[...get(end), ...op.isBelow, ...op.loopAgainIf],
    ...op.end,
    ...get(out),
    ...op.end,
  ]
}

const [i32, v128] = [0x7f, 0x7b]

const moduleFor = (lanes: number): Uint8Array<ArrayBuffer> => {
  const locals = [2, 2, i32, ...unsigned(lanes + 4), v128]
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [1, 0x60, 4, i32, i32, i32, i32, 1, i32]),
    ...section(2, [1, ...named('shared'), ...named('memory'), 0x02, 0x00, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...named('findNear'), 0x00, 0]),
    ...section(10, [1, ...sized([...locals, ...instructions(lanes)])]),
  ])
}

/**
 * Looks at the rows from `row` to `end`, a multiple of four, and writes those at most `most` places away to `out`: the distance
 * in the upper half of a number, how many rows were before it in the lower. Where that ends.
 */
export type FindNear = (row: number, end: number, out: number, most: number) => number

/** For rows of `lanes` × 16 bytes. */
export const createFindNear = (memory: WebAssembly.Memory, lanes: number): FindNear => {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(moduleFor(lanes)), { shared: { memory } })
  return exports.findNear as FindNear
}
