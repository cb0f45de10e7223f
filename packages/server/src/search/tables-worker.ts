// The thread that holds what can be found where there is much of it: looking through it keeps no other request waiting.
import { parentPort, workerData } from 'node:worker_threads'
import { createTables, type Tables } from './tables.ts'

export type Method = keyof Tables
export type ToTables = { [M in Method]: { number: number; method: M; given: Parameters<Tables[M]> } }[Method]
export type FromTables = { number: number; result: unknown } | { number: number; error: string }

const tables = createTables((workerData as { length: number | null }).length)

const call = ({ method, given }: ToTables): unknown =>
  (tables[method] as (...given: readonly unknown[]) => unknown)(...given)

parentPort?.on('message', (asked: ToTables) => {
  const { number } = asked
  try {
    parentPort?.postMessage({ number, result: call(asked) } satisfies FromTables)
  } catch (error) {
    parentPort?.postMessage({ number, error: String(error) } satisfies FromTables)
  }
})
