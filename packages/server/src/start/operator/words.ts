// The type of operator commands: a function of the open platform and the parsed arguments that returns the output.
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
  /** Creates an installation if there is none. */
  makes?: true
  run(open: OpenPlatform, words: Words): Promise<Result>
}

export class UsageError extends Error {}

export const required = (words: Words, name: string): string => {
  const value = words.options[name]
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} is required`)
  return value
}

export const optional = (words: Words, name: string): string | undefined => {
  const value = words.options[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
