// Splits a stream into S3 parts with one buffer per upload. A small body is a single part, so that it can be stored
// with one request.

/** S3 rejects smaller parts, except the last one. */
export const minPartBytes = 5 * 1024 * 1024
const maxParts = 10_000

export const partBytesFor = (maxBytes: number): number => Math.max(minPartBytes, Math.ceil(maxBytes / maxParts))

export type Part = { number: number; bytes: Buffer; isLast: boolean }

/** The bytes of a part are valid until the next part is requested, because the buffer is reused. */
export async function* partsOf(chunks: AsyncIterable<Buffer>, partBytes: number): AsyncGenerator<Part> {
  const buffer = Buffer.allocUnsafeSlow(partBytes)
  let filled = 0
  let number = 1
  for await (const chunk of chunks) {
    let taken = 0
    while (taken < chunk.length) {
      // Yielded only when more data follows, so that `isLast` is known.
      if (filled === partBytes) {
        yield { number, bytes: buffer, isLast: false }
        number += 1
        filled = 0
      }
      const copied = chunk.copy(buffer, filled, taken)
      taken += copied
      filled += copied
    }
  }
  yield { number, bytes: buffer.subarray(0, filled), isLast: true }
}
