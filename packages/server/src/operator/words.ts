// What every command of the operator is: a function of the open platform and its parsed words, which returns what to print.
import type { OpenPlatform } from '../platform.ts'

export type Words = { positionals: string[]; options: Record<string, string | boolean | undefined> }

export type Result = {
  /** For people. */
  text: string
  /** For scripts, with --json. */
  json: unknown
  failed?: true
}

export type Command = {
  usage: string
  summary: string
  /** Makes an installation where there is none. */
  makes?: true
  run(open: OpenPlatform, words: Words): Promise<Result>
}

export class UsageError extends Error {}
