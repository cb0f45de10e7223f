// The type of operator commands: a function of the open platform and the parsed arguments that returns the output.
import type { OpenPlatform } from '../platform.ts'

export type CommandArguments = { positionals: string[]; options: Record<string, string | boolean | undefined> }

export type CommandResult = {
  /** For people. */
  text: string
  /** For scripts, with --json. */
  json: unknown
  failed?: true
}

export type OperatorCommand = {
  usage: string
  summary: string
  /** Creates an installation if there is none. */
  makes?: true
  run(open: OpenPlatform, args: CommandArguments): Promise<CommandResult>
}

export class UsageError extends Error {}

export const required = (args: CommandArguments, name: string): string => {
  const value = args.options[name]
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} is required`)
  return value
}

export const optional = (args: CommandArguments, name: string): string | undefined => {
  const value = args.options[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
