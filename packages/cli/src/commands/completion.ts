// Prints a completion script for a shell.
import { operationHelp } from '@millrace/contract/operation-help.gen'
import type { Command } from '../command.ts'
import { completionScript, completionsOf, shells } from '../completion/scripts.ts'
import { usage } from '../failures.ts'

const completion: Command = {
  words: 'completion <shell>',
  summary: `Print a completion script for a shell: ${shells.join(', ')}`,
  example: 'millrace completion bash > ~/.local/share/bash-completion/completions/millrace',
  run: async (cli, [given = '']) => {
    const shell = shells.find((name) => name === given)
    if (shell === undefined) throw usage(`The shell must be one of ${shells.join(', ')}`)
    const operations = Object.entries(operationHelp).map(([name, { summary }]): [string, string] => [name, summary])
    const script = completionScript(shell, completionsOf(cli.commands, operations))
    return { text: script.trimEnd(), json: { shell, script } }
  },
}

export const completionCommands = [completion]
