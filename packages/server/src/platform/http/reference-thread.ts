// Renders the OpenAPI document and its pages on a worker thread, because megabytes of text would block the event loop.
// The thread ends when it is idle.
import { Worker } from 'node:worker_threads'
import { fail } from '../core/errors.ts'
import type { FromReferenceWorker, ReferenceData, ToReferenceWorker } from './reference-worker.ts'

export type ApiReference = {
  document(): Promise<Buffer>
  /** The page with the search result; without a query, all operations. */
  page(query: string): Promise<Buffer>
}

const idleMs = 60_000
/** The search is public, so it is limited. */
const maxWaiting = 64

type Waiting = { resolve(bytes: Buffer): void; reject(error: Error): void }

export const createReferenceThread = (data: ReferenceData): ApiReference => {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | null = null
  let idle: NodeJS.Timeout | undefined
  let lastId = 0

  const lost = (ended: Worker, error: Error): void => {
    if (worker !== ended) return
    worker = null
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  const stopWorker = (): void => {
    const stopping = worker
    worker = null
    void stopping?.terminate()
  }
  const start = (): Worker => {
    const started = new Worker(new URL('./reference-worker.ts', import.meta.url), { workerData: data })
    started.on('message', ({ id, bytes }: FromReferenceWorker) => {
      waiting.get(id)?.resolve(Buffer.from(bytes.buffer))
      waiting.delete(id)
      clearTimeout(idle)
      if (waiting.size === 0) idle = setTimeout(stopWorker, idleMs).unref()
    })
    started.on('error', (error: unknown) => lost(started, error instanceof Error ? error : new Error(String(error))))
    started.on('exit', () => lost(started, new Error('The reference thread has exited')))
    started.unref()
    return started
  }
  const post = (query: string | null): Promise<Buffer> => {
    if (waiting.size >= maxWaiting) throw fail('unavailable', 'Too many concurrent searches; try again')
    clearTimeout(idle)
    worker ??= start()
    lastId += 1
    const id = lastId
    const answered = new Promise<Buffer>((resolve, reject) => waiting.set(id, { resolve, reject }))
    worker.postMessage({ id, query } satisfies ToReferenceWorker)
    return answered
  }
  const document = once(() => post(null))
  const whole = once(() => post(''))
  return { document, page: (query) => (query.trim() === '' ? whole() : post(query)) }
}

/** Caches the result; a failure is not cached. */
const once = (make: () => Promise<Buffer>): (() => Promise<Buffer>) => {
  let made: Promise<Buffer> | null = null
  return async () => {
    made ??= make().catch((error: unknown) => {
      made = null
      throw error
    })
    return made
  }
}
