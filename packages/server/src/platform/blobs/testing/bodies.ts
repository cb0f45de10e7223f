// Bodies for tests: known bytes, sent completely, paused halfway or aborted.
import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { BlobStore } from '../blob-store.ts'

export const mib = 1024 * 1024

export const someBytes = (sizeBytes: number): Buffer => randomBytes(sizeBytes)

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

function* slices(bytes: Buffer, chunkBytes: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
}

export const bodyOf = (bytes: Buffer, chunkBytes = 64 * 1024): Readable => Readable.from(slices(bytes, chunkBytes))

/** Sends the bytes, then fails like a lost connection. */
export const brokenBody = (bytes: Buffer): Readable =>
  Readable.from(
    (async function* () {
      yield* slices(bytes, 64 * 1024)
      throw new Error('connection lost')
    })(),
  )

/** Sends the first bytes, then waits: `reached` resolves when they were read, `release` sends the rest. */
export const pausedBody = (first: Buffer, rest: Buffer) => {
  const reached = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const body = Readable.from(
    (async function* () {
      yield* slices(first, 64 * 1024)
      reached.resolve()
      await gate.promise
      yield* slices(rest, 64 * 1024)
    })(),
  )
  return { body, reached: reached.promise, release: gate.resolve }
}

export const readAll = async (stream: Readable): Promise<Buffer> => Buffer.concat(await stream.toArray())

/** The whole content, or null. */
export const contentOf = async (store: BlobStore, key: string): Promise<Buffer | null> => {
  const read = await store.read(key)
  if (!read) return null
  if (read.kind !== 'full') throw new Error(`expected the full content, got ${read.kind}`)
  return readAll(read.stream)
}

export const keysUnder = async (store: BlobStore, prefix: string): Promise<string[]> =>
  (await Array.fromAsync(store.list(prefix))).map(({ key }) => key).sort()
