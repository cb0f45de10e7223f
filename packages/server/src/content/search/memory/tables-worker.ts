// The search thread of a large index, so that searches do not delay other requests.
import { parentPort, workerData } from 'node:worker_threads'
import { createTables, type Tables } from './tables.ts'

export type TablesMethod = keyof Tables
export type ToTables = {
  [M in TablesMethod]: { number: number; method: M; given: Parameters<Tables[M]> }
}[TablesMethod]
export type FromTables = { number: number; result: unknown } | { number: number; error: string }

const tables = createTables((workerData as { length: number | null }).length)

const answer = ({ number, method, given }: ToTables): FromTables => {
  try {
    return { number, result: (tables[method] as (...given: readonly unknown[]) => unknown)(...given) }
  } catch (error) {
    return { number, error: String(error) }
  }
}

// Posts each answer at once; batched answers would leave the event loop idle while the thread works, and vice versa.
parentPort?.on('message', (asked: ToTables) => parentPort?.postMessage(answer(asked)))
