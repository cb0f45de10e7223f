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

/** Where the query lies, the slots to look at, and what comes out: four bytes for each that is near. */
export const places = { query: 0, slots: 8_192, near: 8_192 + 16_384, rows: pageBytes } as const

/** So many slots at a time. */
export const slotsAtOnce = 4_096

const op = {
  loop: [0x03, 0x40],
  if: [0x04, 0x40],
  end: [0x0b],
  loopAgainIf: [0x0d, 0x00],
  loadI32: [0x28, 0x02, 0x00],
  storeI32: [0x36, 0x02, 0x00],
  isBelow: [0x49],
  isAtMost: [0x4d],
  addI32: [0x6a],
  multiplyI32: [0x6c],
  orI32: [0x72],
  shiftLeft: [0x74],
  shiftRight: [0x76],
  addBytes: [0xfd, 0x6e],
  addShorts: [0xfd, 0x8e, 0x01],
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
const countDiffering = (lanes: number, row: number, query: number): number[] => {
  const differing = (index: number): number[] => [
    ...get(row),
    ...loadLanes(places.rows + index * laneBytes),
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

/** `findNear(slot, end, out, most)`: four numbers in, then locals: the row, its distance, the sum, and the query's lanes. */
const instructions = (lanes: number): number[] => {
  const [slot, end, out, most, row, distance, sum, query] = [0, 1, 2, 3, 4, 5, 6, 7]
  const all = Array.from({ length: lanes }, (_, index) => index)
  return [
    ...all.flatMap((index) => [...constant(places.query), ...loadLanes(index * laneBytes), ...set(query + index)]),
    ...op.loop,
    ...get(slot),
    ...op.loadI32,
    ...constant(lanes * laneBytes),
    ...op.multiplyI32,
    ...set(row),
    ...countDiffering(lanes, row, query),
    ...set(sum),
    ...[0, 1, 2, 3].flatMap((index) => [...get(sum), ...lane(index), ...(index === 0 ? [] : op.addI32)]),
    ...setAndGet(distance),
    ...get(most),
    ...op.isAtMost,
    ...op.if,
    ...get(out),
    ...[...get(distance), ...constant(16), ...op.shiftLeft],
    ...[...get(slot), ...constant(-places.slots), ...op.addI32, ...constant(2), ...op.shiftRight],
    ...op.orI32,
    ...op.storeI32,
    ...[...get(out), ...constant(4), ...op.addI32, ...set(out)],
    ...op.end,
    ...[...get(slot), ...constant(4), ...op.addI32, ...setAndGet(slot)],
    ...get(end),
    ...op.isBelow,
    ...op.loopAgainIf,
    ...op.end,
    ...get(out),
    ...op.end,
  ]
}

const [i32, v128] = [0x7f, 0x7b]

const moduleFor = (lanes: number): Uint8Array<ArrayBuffer> => {
  const locals = [2, 2, i32, ...unsigned(lanes + 1), v128]
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
 * Looks at the slots from `slot` to `end`, and writes those at most `most` places away to `out`: the distance in the upper half
 * of a number, the place among the slots in the lower. Where that ends.
 */
export type FindNear = (slot: number, end: number, out: number, most: number) => number

/** For rows of `lanes` × 16 bytes that begin at `places.rows` of the memory. */
export const createFindNear = (memory: WebAssembly.Memory, lanes: number): FindNear => {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(moduleFor(lanes)), { shared: { memory } })
  return exports.findNear as FindNear
}
