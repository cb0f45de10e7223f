// Expected failures: a sentence and a hint for a person, a code for scripts, an exit code for the shell.
import { findInexactNumber, inexactInWords } from '@millrace/contract/exact-numbers'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { safeText } from './table.ts'

type FailureOptions = {
  exitCode?: ExitCode
  code?: string
  status?: number
  details?: readonly string[]
  hint?: string
}

export class CliFailure extends Error {
  readonly exitCode: ExitCode
  readonly code: string
  /** The HTTP status of the API, if it refused the call. */
  readonly status: number | null
  /** Further lines for a person. */
  readonly details: readonly string[]
  /** The next step; empty if there is nothing to suggest. */
  readonly hint: string

  constructor(message: string, options: FailureOptions = {}) {
    super(message)
    this.exitCode = options.exitCode ?? exitCodes.failed
    this.code = options.code ?? 'failed'
    this.status = options.status ?? null
    this.details = options.details ?? []
    this.hint = options.hint ?? ''
  }
}

export const usage = (message: string, hint = ''): CliFailure =>
  new CliFailure(message, { exitCode: exitCodes.usage, code: 'usage', hint })

/** Rejects typed JSON with numbers that JavaScript would round. `place` is the field that the JSON was typed for. */
export const refuseInexact = (json: string, place = ''): void => {
  const found = findInexactNumber(json)
  if (found === null) return
  const path = [place, found.path].filter((part) => part !== '').join('.')
  throw usage(inexactInWords({ ...found, path }))
}

export const withHint = ({ message, exitCode, code, status, details }: CliFailure, hint: string): CliFailure =>
  new CliFailure(message, { exitCode, code, details, hint, ...(status === null ? {} : { status }) })

/** `command` signs in to the server of the call. */
export const notSignedIn = (command: string): CliFailure =>
  new CliFailure('Not signed in', {
    exitCode: exitCodes.refused,
    code: 'unauthorized',
    hint: `Sign in with \`${command}\``,
  })

export const describeFailure = (error: unknown): { text: string; json: object; exitCode: ExitCode } => {
  const failure =
    error instanceof CliFailure ? error : new CliFailure(error instanceof Error ? error.message : `${error}`)
  const { message, code, status, exitCode, details, hint } = failure
  return {
    text: safeText(
      [`error: ${message}`, ...details.map((line) => `  ${line}`), ...(hint === '' ? [] : [`hint: ${hint}`])].join(
        '\n',
      ),
    ),
    json: {
      error: {
        code,
        message,
        ...(hint === '' ? {} : { hint }),
        ...(status === null ? {} : { status }),
        exit_code: exitCode,
      },
    },
    exitCode,
  }
}
