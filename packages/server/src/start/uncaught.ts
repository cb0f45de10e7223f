// Handles errors that no boundary caught. Important state is in the database, so a single error is logged and counted,
// and the process continues. After a failed assertion or frequent errors, the memory of the process may be damaged, so
// it stops in order.
import type { Logger } from 'pino'
import type { Figure, Reading } from '#platform/http/metrics.ts'

export type Uncaught = {
  /** For the metrics of the server. */
  readonly figure: Figure
  /** Before this is called, an error means that the start has failed. */
  started(): void
}

type Origin = 'uncaughtException' | 'unhandledRejection'

type ErrorSource = { on(event: Origin, listener: (error: unknown) => void): unknown }

type Options = {
  readonly log: Logger
  /** Stops the process in order with this exit code. */
  readonly stop: (code: number) => void
  readonly nowMs?: () => number
}

const maxErrors = 20
const withinMs = 60_000

const assertions = new Set<unknown>(['ERR_ASSERTION', 'ERR_INTERNAL_ASSERTION'])

const isAssertion = (error: unknown): boolean => error instanceof Error && 'code' in error && assertions.has(error.code)

export const watchUncaught = (
  source: ErrorSource,
  { log, stop, nowMs = () => performance.now() }: Options,
): Uncaught => {
  const counts: Record<Origin, number> = { uncaughtException: 0, unhandledRejection: 0 }
  let recent: number[] = []
  let hasStarted = false
  let isStopping = false

  const isDamaged = (error: unknown): boolean => {
    const now = nowMs()
    recent = [...recent.filter((at) => now - at < withinMs), now]
    return !hasStarted || isAssertion(error) || recent.length > maxErrors
  }

  const listen = (origin: Origin): void => {
    source.on(origin, (error) => {
      counts[origin] += 1
      log.error({ err: error, origin }, 'uncaught error')
      if (isStopping || !isDamaged(error)) return
      isStopping = true
      log.fatal('stopping: the state of this process may be damaged')
      stop(1)
    })
  }
  listen('uncaughtException')
  listen('unhandledRejection')

  return {
    figure: {
      name: 'millrace_uncaught_errors_total',
      help: 'Uncaught errors',
      labels: ['origin'],
      read: async () => Object.entries(counts).map(([origin, value]): Reading => ({ labels: { origin }, value })),
    },
    started: () => {
      hasStarted = true
    },
  }
}
