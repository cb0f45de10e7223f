// The components of many vectors, a byte each, by the number of their row; and how near rows are to another vector.
import { magnitudeOf } from './vectors.ts'

const rowsOfBlock = 1_024

/** Of vectors with `length` components. */
export const createComponents = (length: number) => {
  const blocks: Int8Array[] = []
  const magnitudes: number[] = []
  const blockOf = (row: number): Int8Array => {
    const place = Math.floor(row / rowsOfBlock)
    while (place >= blocks.length) blocks.push(new Int8Array(rowsOfBlock * length))
    return blocks[place] ?? new Int8Array(0)
  }
  /** In two sums, by hand and without a view of the row: this runs for every near document of every query. */
  const productOf = (vector: Float64Array, block: Int8Array, start: number): number => {
    let even = 0
    let odd = 0
    for (let index = 0; index < length; index += 2) {
      even += (vector[index] ?? 0) * (block[start + index] ?? 0)
      odd += (vector[index + 1] ?? 0) * (block[start + index + 1] ?? 0)
    }
    return even + odd
  }
  return {
    write: (row: number, components: Int8Array): void => {
      blockOf(row).set(components, (row % rowsOfBlock) * length)
      magnitudes[row] = magnitudeOf(components)
    },
    /** Says of rows the cosine of their angle with this vector. */
    comparedTo: (vector: Float32Array): ((row: number) => number) => {
      const wide = new Float64Array(length + 1)
      wide.set(vector)
      const magnitude = magnitudeOf(vector)
      return (row) => {
        const both = magnitude * (magnitudes[row] ?? 0)
        return both === 0 ? 0 : productOf(wide, blockOf(row), (row % rowsOfBlock) * length) / both
      }
    },
  }
}
