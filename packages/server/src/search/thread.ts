// The model that comes along, on a thread that starts when it is first needed and ends when nobody has needed it for a
// while.
import { Worker } from 'node:worker_threads'
import { type Embedder, longestText } from './embedder.ts'
import { ownRange } from './score.ts'
import type { FromThread, ToThread } from './thread-worker.ts'

const idleMs = 120_000
/** More calls than this at once are refused: who asks for so much gets words alone. */
const mostWaiting = 64

type Waiting = { resolve(vectors: Float32Array[]): void; reject(error: Error): void }

export const createThreadEmbedder = (): Embedder => {
  let worker: Worker | null = null
  let idle: NodeJS.Timeout | undefined
  let lastId = 0
  const waiting = new Map<number, Waiting>()

  const end = async (error: Error): Promise<void> => {
    const ended = worker
    worker = null
    clearTimeout(idle)
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
    await ended?.terminate()
  }
  const start = (): Worker => {
    const started = new Worker(new URL('./thread-worker.ts', import.meta.url))
    started.on('message', (answer: FromThread) => {
      const asked = waiting.get(answer.id)
      waiting.delete(answer.id)
      if ('vectors' in answer) asked?.resolve(answer.vectors)
      else asked?.reject(new Error(answer.error))
    })
    started.on('error', (error: unknown) => {
      if (worker === started) void end(error instanceof Error ? error : new Error(String(error)))
    })
    started.unref()
    return started
  }

  return {
    model: 'universal-sentence-encoder-lite',
    length: 512,
    range: async () => ownRange,
    embed: (texts, timeoutMs) => {
      if (waiting.size >= mostWaiting) return Promise.reject(new Error('The embedding thread is overrun'))
      worker ??= start()
      lastId += 1
      const id = lastId
      clearTimeout(idle)
      idle = setTimeout(() => end(new Error('The embedding thread was idle')), idleMs)
      idle.unref()
      const answered = new Promise<Float32Array[]>((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(id)
          reject(new Error('Embedding took too long'))
        }, timeoutMs)
        timer.unref()
        waiting.set(id, {
          resolve: (vectors) => {
            clearTimeout(timer)
            resolve(vectors)
          },
          reject: (error) => {
            clearTimeout(timer)
            reject(error)
          },
        })
      })
      worker.postMessage({ id, texts: texts.map((text) => text.slice(0, longestText)) } satisfies ToThread)
      return answered
    },
    close: () => end(new Error('The server stops')),
  }
}
