// Writes a stream to a new file and returns when the bytes are on the disk. Fast for large files (few system calls, the disk
// works while bytes arrive) and bounded: at most two batches are held.
import { type FileHandle, open } from 'node:fs/promises'

const batchBytes = 1024 * 1024
/** Flushed early in steps of this size, so that the last flush has little left to wait for. */
const flushStepBytes = 32 * 1024 * 1024

export type WriteOptions = {
  /** Gets every batch once it is written, in order, and slows the writing down by the time it takes. */
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
    let heldBytes = 0
    let unflushedBytes = 0
    const writeBatch = async () => {
      const [buffers, sizeBytes] = [batch, heldBytes]
      batch = []
      heldBytes = 0
      await writing.start(async () => {
        await writeAll(handle, buffers, sizeBytes)
        await onWritten?.(buffers)
      })
    }
    for await (const chunk of chunks) {
      batch.push(chunk)
      heldBytes += chunk.length
      unflushedBytes += chunk.length
      if (heldBytes >= batchBytes) await writeBatch()
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
    // The handle may not be closed under a write or a flush; why the upload failed is already known.
    await Promise.allSettled([writing.done(), flushing.done()])
    await handle.close()
  }
}

const writeAll = async (handle: FileHandle, buffers: Buffer[], sizeBytes: number): Promise<void> => {
  if (sizeBytes === 0) return
  const { bytesWritten } = await handle.writev(buffers)
  // A write may be short, for example under a quota; the rest is written or fails by name.
  if (bytesWritten < sizeBytes) await handle.writeFile(Buffer.concat(buffers).subarray(bytesWritten))
}

/** Runs work in the background, one piece at a time: `start` waits for the piece before and tells of its failure. */
const oneAtATime = () => {
  let running: Promise<void> = Promise.resolve()
  return {
    start: async (work: () => Promise<void>): Promise<void> => {
      await running
      running = work()
      // Told by the next `start` or by `done`; until then it must not count as unhandled.
      running.catch(() => undefined)
    },
    done: (): Promise<void> => running,
  }
}
