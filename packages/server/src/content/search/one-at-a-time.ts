// Runs work that serves every caller from before its start: callers during a run share the next run. A run starts at
// the end of an event-loop turn, so that simultaneous requests share it.
import { setImmediate as endOfTurn } from 'node:timers/promises'

export const oneAtATime = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | null = null
  const run = async (before: Promise<unknown>): Promise<T> => {
    // The callers of that run receive its error.
    await Promise.allSettled([before])
    await endOfTurn()
    next = null
    return work()
  }
  return () => {
    next ??= run(last)
    last = next
    return next
  }
}
