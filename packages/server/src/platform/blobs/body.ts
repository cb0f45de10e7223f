// Counts, limits and hashes a body while it is read. Never reads ahead of the consumer.
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { fail } from '../core/errors.ts'
import type { BlobBody, PutOptions, PutResult } from './blob-store.ts'

export type Metered = { chunks: AsyncIterable<Buffer>; sizeBytes(): number; result(): PutResult }

/** `hashed: false`: the chunks are hashed elsewhere, and `result` is not called. */
export const meter = (
  body: BlobBody,
  { maxBytes, expectedBytes, signal }: PutOptions,
  { hashed = true }: { hashed?: boolean } = {},
): Metered => {
  const hash = createHash('sha256')
  let sizeBytes = 0

  const take = (chunk: Uint8Array): Buffer => {
    sizeBytes += chunk.byteLength
    if (sizeBytes > maxBytes) throw fail('upload_too_large', { meta: { max_bytes: maxBytes } })
    if (expectedBytes !== undefined && sizeBytes > expectedBytes) throw wrongLength(expectedBytes)
    if (hashed) hash.update(chunk)
    return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  }

  async function* chunks(): AsyncGenerator<Buffer> {
    signal?.throwIfAborted()
    if (expectedBytes !== undefined && expectedBytes > maxBytes) {
      throw fail('upload_too_large', { meta: { max_bytes: maxBytes } })
    }
    const source = iteratorOf(body)
    // A read from a silent sender may never end, so the abort rejects instead.
    let giveUp: (reason: unknown) => void = () => undefined
    const onAbort = () => giveUp(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    const next = () =>
      new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        giveUp = reject
        // The signal may have been aborted while the consumer processed the previous chunk.
        if (signal?.aborted) onAbort()
        source.next().then(resolve, reject)
      })
    try {
      for (let step = await next(); !step.done; step = await next()) yield take(step.value)
    } finally {
      signal?.removeEventListener('abort', onAbort)
      // Not awaited, because a silent source would delay the failure.
      source.return?.().catch(() => undefined)
    }
    signal?.throwIfAborted()
    if (expectedBytes !== undefined && sizeBytes !== expectedBytes) throw wrongLength(expectedBytes)
  }

  return {
    chunks: chunks(),
    sizeBytes: () => sizeBytes,
    result: () => ({ sizeBytes, sha256: hash.digest('hex') }),
  }
}

const wrongLength = (expectedBytes: number) =>
  fail('invalid_request', `The upload does not have the announced ${expectedBytes} bytes`)

// A refused stream is not destroyed, because the response is sent on the same socket.
const iteratorOf = (body: BlobBody): AsyncIterator<Uint8Array> =>
  body instanceof Readable ? body.iterator({ destroyOnReturn: false }) : body[Symbol.asyncIterator]()
