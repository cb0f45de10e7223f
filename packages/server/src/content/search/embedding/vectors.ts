// Stored vectors and their comparison. Pure.

/** Number of components of the bundled model's vectors. */
export const ownLength = 512

/** One signed byte per component; the largest becomes 127. */
export const quantised = (vector: Float32Array): Buffer => {
  let largest = 0
  for (const component of vector) largest = Math.max(largest, Math.abs(component))
  const bytes = new Int8Array(vector.length)
  for (const [index, component] of vector.entries())
    bytes[index] = largest === 0 ? 0 : Math.round((component / largest) * 127)
  return Buffer.from(bytes.buffer)
}

/** Euclidean length. */
export const magnitudeOf = (vector: Float32Array | Int16Array | Int8Array): number => {
  let square = 0
  // An index loop, because iterators are ten times as slow.
  for (let index = 0; index < vector.length; index += 1) {
    const component = vector[index] ?? 0
    square += component * component
  }
  return Math.sqrt(square)
}

/** The cosine of the angle between two vectors; the second may be quantized. */
export const cosineOf = (vector: Float32Array, other: Float32Array | Int8Array): number => {
  const both = magnitudeOf(vector) * magnitudeOf(other)
  return both === 0 ? 0 : vector.reduce((sum, component, index) => sum + component * (other[index] ?? 0), 0) / both
}
