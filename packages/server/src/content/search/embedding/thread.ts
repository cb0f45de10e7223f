// The bundled model on a thread that starts on first use and ends when idle. Embedding time grows with the number of
// words, and short texts take half the time when embedded together. So single texts (queries) are sent together, and
// long lists (documents) in pieces between them, so that no query waits long.
import { Worker } from 'node:worker_threads'
import { ownRange } from '../score.ts'
import { type Embedder, maxTextLength } from './embedder.ts'
import type { FromThread, ToThread } from './thread-worker.ts'
import { ownLength } from './vectors.ts'

const idleMs = 120_000
/** Further concurrent calls are refused; their searches use words only. */
const maxWaiting = 64
const queriesAtOnce = 16
const documentsAtOnce = 4

type Call = {
  readonly texts: readonly string[]
  readonly vectors: Float32Array[]
  resolve(vectors: Float32Array[]): void
  reject(error: Error): void
}

/** Selects the next batch: alternately all single texts, and a piece of a list. */
export const takeTurn = <C extends Pick<Call, 'texts' | 'vectors'>>(
  calls: Iterable<C>,
  last: 'queries' | 'documents',
): { sort: 'queries' | 'documents'; parts: { call: C; texts: readonly string[] }[] } | null => {
  const all = [...calls]
  const queries = all.filter(({ texts }) => texts.length === 1).slice(0, queriesAtOnce)
  const [documents] = all.filter(({ texts }) => texts.length !== 1)
  const ofQueries = { sort: 'queries' as const, parts: queries.map((call) => ({ call, texts: call.texts })) }
  if (!documents) return queries.length === 0 ? null : ofQueries
  if (queries.length > 0 && last === 'documents') return ofQueries
  const { texts, vectors } = documents
  return {
    sort: 'documents',
    parts: [{ call: documents, texts: texts.slice(vectors.length, vectors.length + documentsAtOnce) }],
  }
}

export const createThreadEmbedder = (): Embedder => {
  let worker: Worker | null = null
  let idle: NodeJS.Timeout | undefined
  let turn: NonNullable<ReturnType<typeof takeTurn<Call>>> | null = null
  let last: 'queries' | 'documents' = 'documents'
  const waiting = new Set<Call>()

  const end = async (error: Error): Promise<void> => {
    const ended = worker
    worker = null
    turn = null
    clearTimeout(idle)
    for (const { reject } of waiting) reject(error)
    waiting.clear()
    await ended?.terminate()
  }
  const send = (): void => {
    if (turn) return
    turn = takeTurn(waiting, last)
    if (!turn) return
    last = turn.sort
    worker ??= start()
    worker.postMessage({ texts: turn.parts.flatMap(({ texts }) => texts) } satisfies ToThread)
  }
  const take = (answer: FromThread): void => {
    const parts = turn?.parts ?? []
    turn = null
    let taken = 0
    for (const { call, texts } of parts) {
      if ('vectors' in answer) call.vectors.push(...answer.vectors.slice(taken, taken + texts.length))
      else call.reject(new Error(answer.error))
      taken += texts.length
      if (call.vectors.length === call.texts.length) call.resolve(call.vectors)
    }
    send()
  }
  const start = (): Worker => {
    const started = new Worker(new URL('./thread-worker.ts', import.meta.url))
    started.on('message', (answer: FromThread) => {
      if (worker === started) take(answer)
    })
    started.on('error', (error: unknown) => {
      if (worker === started) void end(error instanceof Error ? error : new Error(String(error)))
    })
    started.unref()
    return started
  }
  const ask = (texts: readonly string[], timeoutMs: number): Promise<Float32Array[]> =>
    new Promise((resolve, reject) => {
      const settled =
        <T>(settle: (value: T) => void) =>
        (value: T): void => {
          clearTimeout(timer)
          waiting.delete(call)
          settle(value)
        }
      const call: Call = { texts, vectors: [], resolve: settled(resolve), reject: settled(reject) }
      const timer = setTimeout(() => call.reject(new Error('Embedding took too long')), timeoutMs)
      timer.unref()
      waiting.add(call)
      send()
    })

  return {
    model: 'universal-sentence-encoder-lite',
    length: ownLength,
    range: async () => ownRange,
    embed: async (texts, timeoutMs) => {
      if (texts.length === 0) return []
      if (waiting.size >= maxWaiting) throw new Error('The embedding queue is full')
      clearTimeout(idle)
      idle = setTimeout(() => end(new Error('The embedding thread was idle')), idleMs)
      idle.unref()
      return ask(
        texts.map((text) => text.slice(0, maxTextLength)),
        timeoutMs,
      )
    },
    close: () => end(new Error('The server stops')),
  }
}
