// The scalar products of a query with many rows of a byte per component, as a WebAssembly function with vector instructions, put
// together for one length of rows: an exact comparison takes a fifteenth of what it takes in JavaScript.
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

/** Components that one instruction takes. */
const together = 8

/** One call takes no more rows. */
export const rowsAtOnce = 4_096

/** Bytes of a row. */
export const rowBytes = (length: number): number => Math.ceil(length / together) * together

/** Where the addresses of rows lie, which become their products; the query, two bytes a component; and where rows begin. */
export const placesFor = (length: number) => {
  const query = rowsAtOnce * 4
  return { list: 0, query, rows: Math.ceil((query + rowBytes(length) * 2) / pageBytes) * pageBytes } as const
}

/** No component of a query may be larger, lest a product overflow. */
export const largestComponent = (length: number): number =>
  Math.min(2 ** 15 - 1, Math.floor((2 ** 31 - 1) / (2 ** 7 * rowBytes(length))))

/** `products(at, end)`: two numbers in, then locals: the row, and two sums, so that one need not wait for the other. */
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

/** Puts products where the addresses of rows were, from one byte up to another; there is one at least. */
export type Products = (at: number, end: number) => void

export const createProducts = (memory: WebAssembly.Memory, length: number): Products =>
  functionOf(memory, {
    given: 2,
    returns: false,
    numbers: 1,
    lanes: 2,
    body: instructions(length),
  }) as Products
