// A command is a value: its words, options, an example and the function that runs. The program reads the list.
import type { Api } from './api/client.ts'
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
  /** Rows, drawn for whoever reads stdout. */
  table(headings: readonly string[], rows: readonly (readonly (string | undefined)[])[]): string
  /** One JSON document on stdout, through `--jq` where it was given: for answers that come piece by piece. */
  emit(value: unknown): Promise<void>
  /** A command as it has to be typed to reach the same server. */
  command(words: string): string
  /** What to do next, on stderr: for people only. */
  hint(...lines: string[]): void
  /** Every command there is: for help and completion. */
  readonly commands: readonly Command[]
}

export type Result = {
  /** For people; empty prints nothing. */
  readonly text: string
  /** For scripts, with --json; undefined where everything has been written already. */
  readonly json: unknown
  /** One of `exitCodes`, or the code of a command that was run elsewhere. */
  readonly exitCode?: number
}

export type Options = Readonly<Record<string, unknown>>

/** Flags as commander reads them, what they mean, and whether they may be given several times. */
export type CommandOption = readonly [flags: string, meaning: string, repeats?: 'repeats']

export type Command = {
  /** As typed: `task logs <id>`. */
  readonly words: string
  readonly summary: string
  readonly options?: readonly CommandOption[]
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

/** The values of an option that repeats. */
export const texts = (options: Options, name: string): string[] => {
  const value = options[name]
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

export const flag = (options: Options, name: string): boolean => options[name] === true

type Bounds = { readonly least?: number; readonly most?: number }

export const wholeNumber = (
  options: Options,
  name: string,
  { least = 0, most = 999_999_999 }: Bounds = {},
): number | undefined => {
  const given = text(options, name)
  if (given === undefined) return undefined
  const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  if (!/^\d{1,15}$/.test(given) || Number(given) < least || Number(given) > most)
    throw usage(`${flag} must be a whole number from ${least} to ${most}`)
  return Number(given)
}

/** How many rows a list shows. */
export const limitOf = (options: Options, usual: number): number => wholeNumber(options, 'limit', { least: 1 }) ?? usual
