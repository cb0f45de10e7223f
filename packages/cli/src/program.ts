// Commands become a command line: words, help with an example, `--json` and `--api` everywhere, one way to end.
import { Command as Commander, CommanderError } from 'commander'
import { makeApi } from './api/client.ts'
import type { Command, Options } from './command.ts'
import { text } from './command.ts'
import { type ExitCode, exitCodeHelp, exitCodes } from './exit-codes.ts'
import { describeFailure, notSignedIn } from './failures.ts'
import { resolveTarget } from './login/resolve.ts'
import { readLogins } from './login/stored-logins.ts'
import type { Shell } from './shell.ts'
import { version } from './version.ts'

const groupSummaries: Record<string, string> = {
  team: 'Workspaces of this sign-in',
  app: 'Apps and their versions',
  task: 'Runs of apps',
  engine: 'Machines that run apps',
  file: 'Files on the server',
}

export const runProgram = async (commands: readonly Command[], shell: Shell, words: string[]): Promise<ExitCode> => {
  let exitCode: ExitCode = exitCodes.ok
  const program = new Commander('millrace')
    .description('Deploy and run apps on a Millrace server')
    .version(version)
    .configureOutput({ writeOut: shell.out, writeErr: shell.err })
    .exitOverride()
    .showHelpAfterError('(add --help for help)')
    .addHelpText('after', `\n${exitCodeHelp()}`)
  program.command('admin').description('Operator commands on the data folder of a server')
  for (const command of commands)
    addCommand(program, command, words, async (args, options) => {
      exitCode = await runCommand(command, shell, args, options)
    })
  try {
    await program.parseAsync(words, { from: 'user' })
    return exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  }
}

type Act = (args: string[], options: Options) => Promise<void>

const addCommand = (program: Commander, command: Command, words: readonly string[], act: Act): void => {
  const { parent, name } = placeOf(program, command.words)
  const added = parent.command(name).description(command.summary)
  for (const [flags, meaning] of command.options ?? []) added.option(flags, meaning)
  if (command.moreOptions) added.allowUnknownOption().allowExcessArguments()
  added
    .addHelpText('before', () => command.moreHelp?.(words) ?? '')
    .option('--json', 'answer with JSON on stdout')
    .option('--api <url>', 'address of the API (default: MILLRACE_API_URL, or where you signed in)')
    .addHelpText('after', `\nExample:\n  $ ${command.example.replaceAll('\n', '\n  $ ')}`)
    .action((...given: unknown[]) => {
      const named = given.slice(0, -2).filter((value): value is string => typeof value === 'string')
      return act(command.moreOptions ? added.args : named, added.opts())
    })
}

/** `task logs <id>` stands below `task`; `login` on its own. */
const placeOf = (program: Commander, words: string): { parent: Commander; name: string } => {
  const [first = '', second, ...rest] = words.split(' ')
  if (second === undefined || /^[[<]/.test(second)) return { parent: program, name: words }
  const parent =
    program.commands.find((known) => known.name() === first) ??
    program.command(first).description(groupSummaries[first] ?? '')
  return { parent, name: [second, ...rest].join(' ') }
}

const runCommand = async (command: Command, shell: Shell, args: string[], options: Options): Promise<ExitCode> => {
  const json = options.json === true
  try {
    const stored = await readLogins(shell)
    const { apiUrl, login } = resolveTarget({ flag: text(options, 'api'), env: shell.env, stored })
    const result = await command.run(
      {
        shell,
        json,
        api: () => {
          if (login === null) throw notSignedIn()
          return makeApi(apiUrl, login)
        },
        openApi: () => makeApi(apiUrl, login),
      },
      args,
      options,
    )
    if (json && result.json !== undefined) shell.out(`${JSON.stringify(result.json)}\n`)
    if (!json && result.text !== '') shell.out(`${result.text}\n`)
    return result.exitCode ?? exitCodes.ok
  } catch (error) {
    const failure = describeFailure(error)
    shell.err(`${json ? JSON.stringify(failure.json) : failure.text}\n`)
    return failure.exitCode
  }
}
