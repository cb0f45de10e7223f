// Worker of hash-thread.ts. Answers every update and digest in order and frees hashed chunks at once.
import { createHash, type Hash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'

export type ToHashWorker =
  | { id: number; kind: 'update'; chunks: ArrayBuffer[] }
  | { id: number; kind: 'digest' }
  | { id: number; kind: 'drop' }

/** `hex` is empty for an update. */
export type FromHashWorker = { id: number; hex: string }

const hashes = new Map<number, Hash>()

const hashOf = (id: number): Hash => {
  const known = hashes.get(id)
  if (known) return known
  const hash = createHash('sha256')
  hashes.set(id, hash)
  return hash
}

const answer = (message: FromHashWorker): void => parentPort?.postMessage(message)

parentPort?.on('message', (message: ToHashWorker) => {
  const { id } = message
  if (message.kind === 'update') {
    const hash = hashOf(id)
    for (const chunk of message.chunks) {
      hash.update(new Uint8Array(chunk))
      chunk.transfer(0)
    }
    answer({ id, hex: '' })
    return
  }
  if (message.kind === 'digest') answer({ id, hex: hashOf(id).digest('hex') })
  hashes.delete(id)
})
