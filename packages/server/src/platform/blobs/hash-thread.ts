// Computes SHA-256 of large bodies on a worker thread, because hashing takes most of the processor time of an upload
// and would block the event loop. The thread starts with the first large body and does not keep the process alive.
import { createHash } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import type { FromHashWorker, ToHashWorker } from './hash-worker.ts'

/** The hash of one body. The memory of its chunks is transferred to the thread. */
export type BodyHash = {
  /** Resolves when more chunks can be passed. */
  take(chunks: readonly Buffer[]): Promise<void>
  hex(): Promise<string>
  /** Discards an unfinished hash. */
  drop(): void
}

export type HashThread = { begin(): BodyHash }

/** Batches in flight: enough to keep the thread busy with little memory. */
const maxConcurrent = 3
/** A first batch below this size is the whole body; the thread would cost more than it saves. */
const minThreadBytes = 512 * 1024

type Waiting = { resolve(hex: string): void; reject(error: Error): void }

export const createHashThread = (): HashThread => {
  let worker: Worker | null = null
  let lastId = 0
  const bodies = new Map<number, Waiting[]>()

  const lost = (error: Error): void => {
    worker = null
    for (const { reject } of [...bodies.values()].flat()) reject(error)
    bodies.clear()
  }
  const start = (): Worker => {
    const started = new Worker(new URL('./hash-worker.ts', import.meta.url))
    started.on('message', ({ id, hex }: FromHashWorker) => bodies.get(id)?.shift()?.resolve(hex))
    started.on('error', (error: unknown) => lost(error instanceof Error ? error : new Error(String(error))))
    started.on('exit', () => lost(new Error('The hash thread has exited')))
    started.unref()
    return started
  }
  /** Messages of one body are answered in order. */
  const post = (message: ToHashWorker, transfer: ArrayBuffer[] = []): Promise<string> => {
    worker ??= start()
    const answered = new Promise<string>((resolve, reject) => {
      bodies.set(message.id, [...(bodies.get(message.id) ?? []), { resolve, reject }])
    })
    // The error is thrown by the next `take` or by `hex`; until then it must not count as unhandled.
    answered.catch(() => undefined)
    worker.postMessage(message, transfer)
    return answered
  }

  const onThread = (): BodyHash => {
    lastId += 1
    const id = lastId
    const underWay: Promise<string>[] = []
    return {
      take: async (chunks) => {
        const owned = chunks.map(ownMemory)
        underWay.push(post({ id, kind: 'update', chunks: owned }, owned))
        if (underWay.length > maxConcurrent) await underWay.shift()
      },
      hex: async () => {
        await Promise.all(underWay)
        const hex = await post({ id, kind: 'digest' })
        bodies.delete(id)
        return hex
      },
      drop: () => {
        bodies.delete(id)
        worker?.postMessage({ id, kind: 'drop' } satisfies ToHashWorker)
      },
    }
  }
  return {
    begin: () => {
      let chosen: BodyHash | null = null
      const choose = (sizeBytes: number): BodyHash => (sizeBytes < minThreadBytes ? hashedHere() : onThread())
      return {
        take: (chunks) => {
          chosen ??= choose(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
          return chosen.take(chunks)
        },
        hex: () => (chosen ?? hashedHere()).hex(),
        drop: () => chosen?.drop(),
      }
    },
  }
}

const hashedHere = (): BodyHash => {
  const hash = createHash('sha256')
  return {
    take: async (chunks) => {
      for (const chunk of chunks) hash.update(chunk)
    },
    hex: async () => hash.digest('hex'),
    drop: () => undefined,
  }
}

/** Transferable memory: the chunk's own buffer, or a copy of a small buffer that shares its memory. */
const ownMemory = ({ buffer, byteOffset, byteLength }: Buffer): ArrayBuffer => {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) return buffer
  return new Uint8Array(buffer, byteOffset, byteLength).slice().buffer
}
