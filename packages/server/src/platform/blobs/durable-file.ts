// Writes a stream to a new file and resolves when the bytes are durable. Large files need few system calls, and at most
// two batches are in memory.
import { type FileHandle, open } from 'node:fs/promises'

const batchBytes = 1024 * 1024
/** Flushed in steps of this size, so that the last flush is short. */
const flushStepBytes = 32 * 1024 * 1024

export type WriteOptions = {
  /** Receives each written batch in order; writing waits for it. */
  onWritten?: (chunks: readonly Buffer[]) => Promise<void>
}

export const writeDurably = async (
  path: string,
  chunks: AsyncIterable<Buffer>,
  { onWritten }: WriteOptions = {},
): Promise<void> => {
  const handle = await open(path, 'wx', 0o600)
  const writing = oneAtATime()
  const flushing = oneAtATime()
  try {
    let batch: Buffer[] = []
    let bufferedBytes = 0
    let unflushedBytes = 0
    const writeBatch = async () => {
      const [buffers, sizeBytes] = [batch, bufferedBytes]
      batch = []
      bufferedBytes = 0
      await writing.start(async () => {
        await writeAll(handle, buffers, sizeBytes)
        await onWritten?.(buffers)
      })
    }
    for await (const chunk of chunks) {
      batch.push(chunk)
      bufferedBytes += chunk.length
      unflushedBytes += chunk.length
      if (bufferedBytes >= batchBytes) await writeBatch()
      if (unflushedBytes >= flushStepBytes) {
        unflushedBytes = 0
        await flushing.start(() => handle.datasync())
      }
    }
    await writeBatch()
    await writing.done()
    await flushing.done()
    await handle.datasync()
  } finally {
    // The handle must not be closed during a write or flush; the reason of the failure is already known.
    await Promise.allSettled([writing.done(), flushing.done()])
    await handle.close()
  }
}

const writeAll = async (handle: FileHandle, buffers: Buffer[], sizeBytes: number): Promise<void> => {
  if (sizeBytes === 0) return
  const { bytesWritten } = await handle.writev(buffers)
  // A short write is possible, for example at a quota; writing the rest succeeds or throws the reason.
  if (bytesWritten < sizeBytes) await handle.writeFile(Buffer.concat(buffers).subarray(bytesWritten))
}

/** Runs tasks in the background, one at a time: `start` waits for the previous one and throws its error. */
const oneAtATime = () => {
  let running: Promise<void> = Promise.resolve()
  return {
    start: async (work: () => Promise<void>): Promise<void> => {
      await running
      running = work()
      // The error is thrown by the next `start` or by `done`; until then it must not count as unhandled.
      running.catch(() => undefined)
    },
    done: (): Promise<void> => running,
  }
}
