// Dot products of a query with many rows of one byte per component, as a WebAssembly SIMD function generated for one
// row length: 15 times as fast as JavaScript.
import {
  constant,
  functionOf,
  get,
  lane,
  laneBytes,
  loadEight,
  loadLanes,
  noLanes,
  op,
  pageBytes,
  set,
} from './wasm.ts'

/** Components per instruction. */
const together = 8

/** Maximum number of rows per call. */
export const rowsAtOnce = 4_096

/** Bytes per row. */
export const rowBytes = (length: number): number => Math.ceil(length / together) * together

/**
 * Memory layout: the addresses of rows, which the products overwrite; the query with two bytes per component; and the
 * start of the rows.
 */
export const placesFor = (length: number) => {
  const query = rowsAtOnce * 4
  return { list: 0, query, rows: Math.ceil((query + rowBytes(length) * 2) / pageBytes) * pageBytes } as const
}

/** The maximum of a query component, so that no product overflows. */
export const largestComponent = (length: number): number =>
  Math.min(2 ** 15 - 1, Math.floor((2 ** 31 - 1) / (2 ** 7 * rowBytes(length))))

/** `products(at, end)`: two parameters, then locals: the row, and two sums for instruction-level parallelism. */
const instructions = (length: number): number[] => {
  const [at, end, row] = [0, 1, 2]
  const sums = [3, 4] as const
  const { query } = placesFor(length)
  const add = (eight: number): number[] => {
    const sum = sums[eight % 2] ?? 3
    return [
      ...get(sum),
      ...[...get(row), ...loadEight(eight * together), ...constant(query), ...loadLanes(eight * laneBytes)],
      ...[...op.addProductsOfPairs, ...op.addFour, ...set(sum)],
    ]
  }
  const laneOfSum = (index: number): number[] => [...get(sums[0]), ...lane(index)]
  return [
    ...op.loop,
    ...[...get(at), ...op.loadI32, ...set(row)],
    ...sums.flatMap((sum) => [...noLanes, ...set(sum)]),
    ...Array.from({ length: rowBytes(length) / together }, (_, eight) => add(eight)).flat(),
    ...[...get(sums[0]), ...get(sums[1]), ...op.addFour, ...set(sums[0])],
    ...get(at),
    ...[...laneOfSum(0), ...laneOfSum(1), ...op.addI32, ...laneOfSum(2), ...op.addI32, ...laneOfSum(3), ...op.addI32],
    ...op.storeI32,
    ...[...get(at), ...constant(4), ...op.addI32, ...set(at)],
    ...[...get(at), ...get(end), ...op.isBelow, ...op.loopAgainIf],
    ...op.end,
    ...op.end,
  ]
}

/** Replaces the row addresses between two byte positions with the products. The range must not be empty. */
export type Products = (at: number, end: number) => void

export const createProducts = (memory: WebAssembly.Memory, length: number): Products =>
  functionOf(memory, {
    given: 2,
    returns: false,
    numbers: 1,
    lanes: 2,
    body: instructions(length),
  }) as Products
