// Error boundaries: an error in the code of one connection, timer or task closes only that part and never ends the
// engine. An error that passes every boundary is logged and counted.

import { messageOf } from './failures.ts'
import type { Log } from './log.ts'

export type OnError = (error: unknown) => void

/** Wraps an event handler or timer. Its errors and rejections are passed to `onError`. */
export const withBoundary =
  <Args extends unknown[]>(onError: OnError, handler: (...args: Args) => unknown): ((...args: Args) => void) =>
  (...args) => {
    try {
      const result = handler(...args)
      if (result instanceof Promise) result.catch(onError)
    } catch (error) {
      onError(error)
    }
  }

/** Logs an unexpected error of the named part. */
export const logError =
  (log: Log, part: string): OnError =>
  (error) =>
    log('error', 'unexpected error', { part, error: messageOf(error), ...stackOf(error) })

const stackOf = (error: unknown) => (error instanceof Error && error.stack ? { stack: error.stack } : {})

type Emitter = Pick<NodeJS.EventEmitter, 'on'>

/** For the engine as a program: no error of a connection or an app ends the process. */
export const surviveErrors = (log: Log, target: Emitter = process): void => {
  let count = 0
  for (const event of ['uncaughtException', 'unhandledRejection'])
    target.on(event, (error: unknown) => {
      count += 1
      log('error', 'unexpected error', { part: event, count, error: messageOf(error), ...stackOf(error) })
    })
}
