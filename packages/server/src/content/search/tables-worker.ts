// The thread that holds what can be found where there is much of it: looking through it keeps no other request waiting.
import { parentPort, workerData } from 'node:worker_threads'
import { createTables, type Tables } from './tables.ts'

export type Method = keyof Tables
export type ToTables = { [M in Method]: { number: number; method: M; given: Parameters<Tables[M]> } }[Method]
export type FromTables = { number: number; result: unknown } | { number: number; error: string }

const tables = createTables((workerData as { length: number | null }).length)

const answer = ({ number, method, given }: ToTables): FromTables => {
  try {
    return { number, result: (tables[method] as (...given: readonly unknown[]) => unknown)(...given) }
  } catch (error) {
    return { number, error: String(error) }
  }
}

// Each answer leaves at once: sent together, the event loop would stand still while the thread works, and the other way round.
parentPort?.on('message', (asked: ToTables) => parentPort?.postMessage(answer(asked)))
