// Asking before something is gone for good.
import { type Cli, type CommandOption, flag, type Options } from './command.ts'
import { exitCodes } from './exit-codes.ts'
import { CliFailure, usage } from './failures.ts'
import { askText } from './login/ask.ts'

export const yesOption: CommandOption = ['--yes', 'do not ask']

/** A script says `--yes` beforehand: nobody is there to be asked. */
export const confirm = async ({ shell }: Cli, options: Options, question: string): Promise<void> => {
  if (flag(options, 'yes')) return
  if (!shell.interactive) throw usage(`${question} Nobody can be asked here: add --yes`)
  if (!/^y(es)?$/i.test(await askText(`${question} (yes, no)`, 'no')))
    throw new CliFailure('Nothing was done', { exitCode: exitCodes.interrupted, code: 'interrupted' })
}
