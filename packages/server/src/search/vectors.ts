// Vectors as they are stored and compared. Pure.

/** One text sign per component, as PostgreSQL reads bits. */
export const signsOf = (vector: Float32Array): string => {
  let signs = ''
  for (const component of vector) signs += component >= 0 ? '1' : '0'
  return signs
}

/** One signed byte per component; the largest becomes 127. */
export const quantised = (vector: Float32Array): Buffer => {
  let largest = 0
  for (const component of vector) largest = Math.max(largest, Math.abs(component))
  const bytes = new Int8Array(vector.length)
  for (const [index, component] of vector.entries())
    bytes[index] = largest === 0 ? 0 : Math.round((component / largest) * 127)
  return Buffer.from(bytes.buffer)
}

/** The cosine of the angle between a vector and a quantised one. */
export const cosine = (vector: Float32Array, stored: Buffer): number =>
  cosineOf(vector, new Int8Array(stored.buffer, stored.byteOffset, stored.byteLength))

export const cosineOf = (vector: Float32Array, other: Float32Array | Int8Array): number => {
  let product = 0
  let square = 0
  let otherSquare = 0
  // Counted by hand: this runs for every near document of every query, and iterators cost ten times as much.
  for (let index = 0; index < vector.length; index += 1) {
    const component = vector[index] ?? 0
    const against = other[index] ?? 0
    product += component * against
    square += component * component
    otherSquare += against * against
  }
  return square === 0 || otherSquare === 0 ? 0 : product / Math.sqrt(square * otherSquare)
}
