// A failure has three parts: a closed code (wire), a public sentence (`detail`) and a private cause (log).
import { type ErrorCode, errorTable } from '@millrace/contract/errors'

export type FailureOptions = {
  /** The public sentence. Falls back to the code's title. */
  detail?: string
  /** Structured context for the caller, under `meta`. */
  meta?: Record<string, unknown>
  /** Members at the top level of the problem body, for routes whose wire format requires them. */
  extra?: Record<string, unknown>
  headers?: Record<string, string>
  /** For routes where the wire format gives the code another status. */
  status?: number
  /** The internal error; logged, never sent. */
  cause?: unknown
}

export class Failure extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly options: FailureOptions

  constructor(code: ErrorCode, options: FailureOptions = {}) {
    super(options.detail ?? errorTable[code].title, { cause: options.cause })
    this.name = 'Failure'
    this.code = code
    this.status = options.status ?? errorTable[code].status
    this.options = options
  }
}

/** `throw fail('conflict', 'The name is taken')` is the only way in which a rule refuses. */
export const fail = (code: ErrorCode, options: string | FailureOptions = {}): Failure =>
  new Failure(code, typeof options === 'string' ? { detail: options } : options)

/** `notFound('flow_run')` is "Flow run not found". */
export const notFound = (thing: string): Failure =>
  fail('not_found', `${thing.charAt(0).toUpperCase()}${thing.slice(1).replaceAll('_', ' ')} not found`)

export const isFailure = (error: unknown, code?: ErrorCode): error is Failure =>
  error instanceof Failure && (code === undefined || error.code === code)

/** For `catch`: returns a `Failure` as a value and throws every other error again. */
export const refusalOnly = (error: unknown): Failure => {
  if (isFailure(error)) return error
  throw error
}
