// Work that serves everyone who asked before it began: who asks while it runs waits for the next run, which is one for all.
// It begins at the end of a turn of the event loop, so that requests that came in together share it.
import { setImmediate as endOfTurn } from 'node:timers/promises'

export const oneAtATime = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | null = null
  const run = async (before: Promise<unknown>): Promise<T> => {
    // How that ended is told to those it served.
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
