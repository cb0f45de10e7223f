// A failure that the program foresaw: one sentence for the person, a code for the script, a number for the shell.
import { findInexactNumber, inexactInWords } from '@millrace/contract/exact-numbers'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { safeText } from './table.ts'

type FailureOptions = { exitCode?: ExitCode; code?: string; status?: number; details?: readonly string[] }

export class CliFailure extends Error {
  readonly exitCode: ExitCode
  readonly code: string
  /** HTTP status, when the API refused. */
  readonly status: number | null
  /** Further lines for a person. */
  readonly details: readonly string[]

  constructor(message: string, options: FailureOptions = {}) {
    super(message)
    this.exitCode = options.exitCode ?? exitCodes.failed
    this.code = options.code ?? 'failed'
    this.status = options.status ?? null
    this.details = options.details ?? []
  }
}

export const usage = (message: string): CliFailure =>
  new CliFailure(message, { exitCode: exitCodes.usage, code: 'usage' })

/** Of JSON that somebody typed, whose digits would be others once it is read. `place` is the field it was typed for. */
export const refuseInexact = (json: string, place = ''): void => {
  const found = findInexactNumber(json)
  if (found === null) return
  const path = [place, found.path].filter((part) => part !== '').join('.')
  throw usage(inexactInWords({ ...found, path }))
}

/** The same failure, said better. */
export const reworded = ({ exitCode, code, status, details }: CliFailure, message: string): CliFailure =>
  new CliFailure(message, { exitCode, code, details, ...(status === null ? {} : { status }) })

/** `command` is how to sign in to the server that was meant. */
export const notSignedIn = (command: string): CliFailure =>
  new CliFailure(`Not signed in. Sign in with \`${command}\``, { exitCode: exitCodes.refused, code: 'unauthorized' })

export const describeFailure = (error: unknown): { text: string; json: object; exitCode: ExitCode } => {
  const failure =
    error instanceof CliFailure ? error : new CliFailure(error instanceof Error ? error.message : `${error}`)
  const { message, code, status, exitCode, details } = failure
  return {
    text: safeText([`error: ${message}`, ...details.map((line) => `  ${line}`)].join('\n')),
    json: { error: { code, message, ...(status === null ? {} : { status }), exit_code: exitCode } },
    exitCode,
  }
}
