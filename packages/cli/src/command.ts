// A command is a value: its words, options, examples and the function that runs it.
import type { Api } from './api/client.ts'
import { usage } from './failures.ts'
import type { Shell } from './shell.ts'
import { parseDuration } from './times.ts'

export type Cli = {
  readonly shell: Shell
  /** Whether stdout is JSON. */
  readonly json: boolean
  /** Calls with the credential of the sign-in; throws without a sign-in. */
  readonly api: () => Api
  /** Calls public operations, with the credential if there is one. */
  readonly openApi: () => Api
  /** A table in the form that suits stdout. */
  table(headings: readonly string[], rows: readonly (readonly (string | undefined)[])[]): string
  /** Writes one JSON document to stdout, filtered by `--jq`. For answers that arrive in parts. */
  emit(value: unknown): Promise<void>
  /** A command line that reaches the same server. */
  command(words: string): string
  /** Prints a line for people to stderr. */
  hint(...lines: string[]): void
  /** Every command, for completion. */
  readonly commands: readonly Command[]
}

export type Result = {
  /** The output for people; empty prints nothing. */
  readonly text: string
  /** The output with --json; undefined if it has been written already. */
  readonly json: unknown
  /** One of `exitCodes`, or the exit code of a command on a remote. */
  readonly exitCode?: number
}

export type Options = Readonly<Record<string, unknown>>

/** Flags in the form of commander, their meaning, and whether they can be repeated. */
export type CommandOption = readonly [flags: string, meaning: string, repeats?: 'repeats']

export type Command = {
  /** As typed: `task logs <id>`. */
  readonly words: string
  readonly summary: string
  readonly options?: readonly CommandOption[]
  /** Passes unknown options as arguments. */
  readonly moreOptions?: true
  /** Help that depends on the other arguments. */
  readonly moreHelp?: (words: readonly string[]) => string
  readonly example: string
  run(cli: Cli, args: readonly string[], options: Options): Promise<Result>
}

export const text = (options: Options, name: string): string | undefined => {
  const value = options[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The values of a repeated option. */
export const texts = (options: Options, name: string): string[] => {
  const value = options[name]
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

export const flag = (options: Options, name: string): boolean => options[name] === true

type Bounds = { readonly min?: number; readonly max?: number }

const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

export const wholeNumber = (
  options: Options,
  name: string,
  { min = 0, max = 999_999_999 }: Bounds = {},
): number | undefined => {
  const given = text(options, name)
  if (given === undefined) return undefined
  if (!/^\d{1,15}$/.test(given) || Number(given) < min || Number(given) > max)
    throw usage(`${flagOf(name)} must be a whole number from ${min} to ${max}`)
  return Number(given)
}

/** An option such as `--timeout 30s`, in milliseconds. */
export const durationMs = (
  options: Options,
  name: string,
  { min = 0, max = 100 * 365 * 86_400_000 }: Bounds = {},
): number | undefined => {
  const given = text(options, name)
  if (given === undefined) return undefined
  const ms = parseDuration(given)
  if (ms === null) throw usage(`${flagOf(name)} must be a duration such as 30s, 5m or 1h30m`)
  if (ms < min || ms > max) throw usage(`${flagOf(name)} must be from ${durationName(min)} to ${durationName(max)}`)
  return ms
}

const durationName = (ms: number): string => {
  const [unit, size] = (
    [
      ['d', 86_400_000],
      ['h', 3_600_000],
      ['m', 60_000],
      ['s', 1_000],
    ] as const
  ).find(([, unitMs]) => ms >= unitMs && ms % unitMs === 0) ?? ['ms', 1]
  return `${ms / size}${unit}`
}

/** How many rows a list shows. */
export const limitOf = (options: Options, defaultLimit: number): number =>
  wholeNumber(options, 'limit', { min: 1 }) ?? defaultLimit

export const limitOption = (defaultLimit: number): CommandOption => [
  '--limit <count>',
  `number of rows (default ${defaultLimit})`,
]
export const cursorOption: CommandOption = ['--cursor <cursor>', 'start after the page that returned this cursor']
export const searchOption: CommandOption = ['--search <text>', 'only rows whose name or description contains this text']

/** The page that the options of a list request. */
export const pageOf = (options: Options, defaultLimit: number) => {
  const term = text(options, 'search')
  const cursor = text(options, 'cursor')
  return {
    limit: limitOf(options, defaultLimit),
    ...(cursor === undefined ? {} : { cursor }),
    ...(term === undefined ? {} : { search: { term } }),
  }
}
