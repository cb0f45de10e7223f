// A command is a value: its words, options, an example and the function that runs. The program reads the list.
import type { Api } from './api/client.ts'
import type { ExitCode } from './exit-codes.ts'
import { usage } from './failures.ts'
import type { Shell } from './shell.ts'

export type Cli = {
  readonly shell: Shell
  /** The answer on stdout is for a program. */
  readonly json: boolean
  /** With the credential of this login; fails when there is none. */
  readonly api: () => Api
  /** With the credential if there is one: for public routes. */
  readonly openApi: () => Api
}

export type Result = {
  /** For people; empty prints nothing. */
  readonly text: string
  /** For scripts, with --json; undefined where everything has been written already. */
  readonly json: unknown
  readonly exitCode?: ExitCode
}

export type Options = Readonly<Record<string, unknown>>

export type Command = {
  /** As typed: `task logs <id>`. */
  readonly words: string
  readonly summary: string
  /** Flags as commander reads them, and what they mean. */
  readonly options?: readonly (readonly [flags: string, meaning: string])[]
  /** Further options are not known beforehand: they arrive among the arguments, as typed. */
  readonly moreOptions?: true
  /** Help that depends on what else was typed. */
  readonly moreHelp?: (words: readonly string[]) => string
  readonly example: string
  run(cli: Cli, args: readonly string[], options: Options): Promise<Result>
}

export const text = (options: Options, name: string): string | undefined => {
  const value = options[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

export const flag = (options: Options, name: string): boolean => options[name] === true

export const wholeNumber = (options: Options, name: string): number | undefined => {
  const given = text(options, name)
  if (given === undefined) return undefined
  if (!/^\d{1,9}$/.test(given)) throw usage(`--${name} must be a whole number`)
  return Number(given)
}
