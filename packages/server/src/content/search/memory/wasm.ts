// Assembles small WebAssembly functions from instructions, without a build step or a binary in the repository.

// These types are only in the DOM library.
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

/** Bytes per instruction. */
export const laneBytes = 16

/** Size of a WebAssembly memory page. */
export const pageBytes = 65_536

export const op = {
  loop: [0x03, 0x40],
  if: [0x04, 0x40],
  end: [0x0b],
  loopAgainIf: [0x0d, 0x00],
  loadByte: [0x2d, 0x00, 0x00],
  loadI32: [0x28, 0x02, 0x00],
  storeI32: [0x36, 0x02, 0x00],
  storeLanes: [0xfd, 0x0b, 0x04, 0x00],
  isBelow: [0x49],
  zerosBefore: [0x68],
  addI32: [0x6a],
  subtract: [0x6b],
  and: [0x71],
  orI32: [0x72],
  shiftLeft: [0x74],
  bytesAlike: [0xfd, 0x0f],
  areBytesAtMost: [0xfd, 0x2a],
  andLanes: [0xfd, 0x4e],
  bitOfEachByte: [0xfd, 0x64],
  addBytesUpTo255: [0xfd, 0x70],
  addFour: [0xfd, 0xae, 0x01],
  shiftPairsRight: [0xfd, 0x8d, 0x01],
  addProductsOfPairs: [0xfd, 0xba, 0x01],
  /** Replaces each byte by the table entry at the index that it contains (i8x16.swizzle). */
  lookUp: [0xfd, 0x80, 0x02],
} as const

const unsigned = (value: number): number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]
const signed = (value: number): number[] =>
  value >= -0x40 && value < 0x40 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)]

export const get = (local: number): number[] => [0x20, ...unsigned(local)]
export const set = (local: number): number[] => [0x21, ...unsigned(local)]
export const setAndGet = (local: number): number[] => [0x22, ...unsigned(local)]
export const constant = (value: number): number[] => [0x41, ...signed(value)]
export const loadLanes = (offset: number): number[] => [0xfd, 0x00, 0x04, ...unsigned(offset)]
/** Loads eight bytes as eight signed 16-bit numbers. */
export const loadEight = (offset: number): number[] => [0xfd, 0x01, 0x03, ...unsigned(offset)]
/** Sixteen equal bytes. */
export const splat = (byte: number): number[] => [0xfd, 0x0c, ...Array<number>(laneBytes).fill(byte)]
export const noLanes = splat(0)
export const lane = (index: number): number[] => [0xfd, 0x1b, index]

const sized = (bytes: readonly number[]): number[] => [...unsigned(bytes.length), ...bytes]
const section = (id: number, bytes: readonly number[]): number[] => [id, ...sized(bytes)]
const named = (name: string): number[] => sized([...Buffer.from(name)])

const [i32, v128] = [0x7f, 0x7b]

export type FunctionCode = {
  /** Number of parameters, and whether it has a result. */
  given: number
  returns: boolean
  /** Number of locals: integers, then vectors. */
  numbers: number
  lanes: number
  body: readonly number[]
}

const moduleOf = ({ given, returns, numbers, lanes, body }: FunctionCode): Uint8Array<ArrayBuffer> => {
  const locals = [2, ...unsigned(numbers), i32, ...unsigned(lanes), v128]
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [1, 0x60, given, ...Array<number>(given).fill(i32), ...(returns ? [1, i32] : [0])]),
    ...section(2, [1, ...named('shared'), ...named('memory'), 0x02, 0x00, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...named('run'), 0x00, 0]),
    ...section(10, [1, ...sized([...locals, ...body])]),
  ])
}

/** Instantiates the function with this memory. */
export const functionOf = (memory: WebAssembly.Memory, code: FunctionCode): unknown =>
  new WebAssembly.Instance(new WebAssembly.Module(moduleOf(code)), { shared: { memory } }).exports.run
