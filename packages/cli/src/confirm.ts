// The question before a command that cannot be undone.
import { type Cli, type CommandOption, flag, type Options } from './command.ts'
import { exitCodes } from './exit-codes.ts'
import { CliFailure, usage } from './failures.ts'
import { askText } from './login/ask.ts'

export const yesOption: CommandOption = ['--yes', 'skip the confirmation']

/** Resolves when the person types yes. The default is no. */
export const confirm = async ({ shell }: Cli, options: Options, question: string): Promise<void> => {
  if (flag(options, 'yes')) return
  if (!shell.interactive) throw usage(`${question} Cannot prompt without a terminal; pass --yes`)
  if (!/^y(es)?$/i.test(await askText(`${question} (yes, no)`, 'no')))
    throw new CliFailure('Canceled; nothing was changed', { exitCode: exitCodes.interrupted, code: 'interrupted' })
}
