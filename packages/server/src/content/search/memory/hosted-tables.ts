// Runs the tables on the event loop or on a thread. Both give the same answers.
import { Worker } from 'node:worker_threads'
import { createFairShare } from '#platform/fairness/fair-share.ts'
import { currentWork, holderOf } from '#platform/fairness/work.ts'
import { createTables, type Document, type Tables, type TablesAnswer, type TablesQuery } from './tables.ts'
import type { FromTables, TablesMethod, ToTables } from './tables-worker.ts'

export type HostedTables = {
  put(documents: readonly Document[]): Promise<void>
  remove(ids: readonly string[]): Promise<void>
  find(question: TablesQuery): Promise<TablesAnswer>
  /** Similarity of documents to a vector. */
  compare(vector: Float32Array, ids: readonly string[]): Promise<(number | null)[]>
  size(): Promise<ReturnType<Tables['size']>>
  /** True if it can no longer answer. */
  isLost(): boolean
  /** Earlier queries are still answered. */
  close(): Promise<void>
}

/** Searching few documents takes no longer than a message to a thread. */
export const createTablesHere = (length: number | null): HostedTables => {
  const tables = createTables(length)
  return {
    put: async (documents) => tables.put(documents),
    remove: async (ids) => tables.remove(ids),
    find: async (question) => tables.find(question),
    compare: async (vector, ids) => tables.compare(vector, ids),
    size: async () => tables.size(),
    isLost: () => false,
    close: async () => {},
  }
}

/** A query that waits longer is answered without memory. */
const answerTimeoutMs = 1_500
/** Queries in flight to the thread: enough to keep it busy. Further queries are queued fairly by workspace. */
const underWay = 4
const maxWaiting = 64

type PendingAnswer = { resolve(result: unknown): void; reject(error: Error): void }

const createLine = (length: number | null) => {
  const waiting = new Map<number, PendingAnswer>()
  let lastNumber = 0
  let lost: Error | null = null
  let closed: (() => void) | null = null

  const worker = new Worker(new URL('./tables-worker.ts', import.meta.url), { workerData: { length } })
  worker.unref()
  const lose = (error: Error): void => {
    lost ??= error
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
    closed?.()
  }
  worker.on('error', (error: unknown) => lose(error instanceof Error ? error : new Error(String(error))))
  worker.on('exit', () => lose(new Error('The search thread ended')))
  worker.on('message', (answer: FromTables) => {
    const asked = waiting.get(answer.number)
    waiting.delete(answer.number)
    if ('error' in answer) asked?.reject(new Error(answer.error))
    else asked?.resolve(answer.result)
    if (waiting.size === 0) closed?.()
  })
  const ask = <M extends TablesMethod>(method: M, ...given: Parameters<Tables[M]>): Promise<ReturnType<Tables[M]>> =>
    new Promise((resolve, reject) => {
      if (lost) {
        reject(lost)
        return
      }
      lastNumber += 1
      waiting.set(lastNumber, { resolve: (result) => resolve(result as ReturnType<Tables[M]>), reject })
      worker.postMessage({ number: lastNumber, method, given } as ToTables)
    })
  const close = async (): Promise<void> => {
    if (waiting.size > 0)
      await new Promise<void>((resolve) => {
        closed = resolve
      })
    lost ??= new Error('The search thread was closed')
    await worker.terminate()
  }
  return { ask, close, isLost: () => lost !== null }
}

const inTime = async <T>(work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('The search thread timed out')), answerTimeoutMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** Posting a view of a shared buffer would copy the whole buffer. */
const withOwnMemory = (document: Document): Document => ({
  ...document,
  components: document.components?.slice() ?? null,
})

/** Starts the thread; `close` ends it. */
export const createTablesOnThread = (length: number | null): HostedTables => {
  const { ask, close, isLost } = createLine(length)
  const turns = createFairShare({
    places: underWay,
    perTenant: underWay,
    underContention: () => 1,
    maxWaiting: maxWaiting,
    waitMs: answerTimeoutMs,
    busyDetail: 'Too many searches are running; try again in a moment',
  })
  return {
    put: (documents) => ask('put', documents.map(withOwnMemory)),
    remove: (ids) => ask('remove', ids),
    find: async (question) => {
      const leave = await turns.enterAs(holderOf(currentWork()))
      return inTime(ask('find', question).finally(leave))
    },
    compare: (vector, ids) => inTime(ask('compare', vector, ids)),
    size: () => ask('size'),
    isLost,
    close,
  }
}
