// Quantized vectors (one byte per component) by row number, and their cosines with a query vector.

import { magnitudeOf } from '../embedding/vectors.ts'
import { createProducts, largestComponent, placesFor, rowBytes, rowsAtOnce } from './products.ts'
import { pageBytes } from './wasm.ts'

const pagesAtOnce = 16

/** `length`: the number of components of each vector. */
export const createComponents = (length: number) => {
  const places = placesFor(length)
  const memory = new WebAssembly.Memory({ initial: places.rows / pageBytes })
  const products = createProducts(memory, length)
  const magnitudes: number[] = []
  const startOf = (row: number): number => places.rows + row * rowBytes(length)

  /** Stores the query as integers; returns its length after rounding, so that no cosine exceeds 1. */
  const ask = (vector: Float32Array): number => {
    let largest = 0
    for (let index = 0; index < length; index += 1) largest = Math.max(largest, Math.abs(vector[index] ?? 0))
    if (largest === 0) return 0
    const units = largestComponent(length) / largest
    const asked = new Int16Array(memory.buffer, places.query, length)
    for (let index = 0; index < length; index += 1) asked[index] = Math.round((vector[index] ?? 0) * units)
    return magnitudeOf(asked)
  }
  const compare = (rows: readonly number[], askedMagnitude: number, cosines: Float64Array, from: number): void => {
    const to = Math.min(rows.length, from + rowsAtOnce)
    const list = new Uint32Array(memory.buffer, places.list, to - from)
    for (let at = from; at < to; at += 1) list[at - from] = startOf(rows[at] ?? 0)
    products(places.list, places.list + (to - from) * 4)
    const found = new Int32Array(memory.buffer, places.list, to - from)
    for (let at = from; at < to; at += 1) {
      const magnitude = magnitudes[rows[at] ?? 0] ?? 0
      cosines[at] = magnitude === 0 ? 0 : (found[at - from] ?? 0) / (askedMagnitude * magnitude)
    }
  }
  return {
    write: (row: number, components: Int8Array): void => {
      const missing = startOf(row + 1) - memory.buffer.byteLength
      if (missing > 0) memory.grow(Math.max(pagesAtOnce, Math.ceil(missing / pageBytes)))
      new Int8Array(memory.buffer, startOf(row), length).set(components)
      magnitudes[row] = magnitudeOf(components)
    },
    /** The cosine of each row with this vector. */
    cosinesTo: (vector: Float32Array, rows: readonly number[]): Float64Array => {
      const cosines = new Float64Array(rows.length)
      const magnitude = ask(vector)
      if (magnitude === 0) return cosines
      for (let from = 0; from < rows.length; from += rowsAtOnce) compare(rows, magnitude, cosines, from)
      return cosines
    },
  }
}
