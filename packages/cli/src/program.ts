// Commands become a command line: words, help with an example, `--json` and `--api` everywhere, one way to end.
import { Command as Commander, CommanderError } from 'commander'
import { makeApi } from './api/client.ts'
import type { Cli, Command, Options } from './command.ts'
import { text } from './command.ts'
import { exitCodeHelp, exitCodes } from './exit-codes.ts'
import { describeFailure, notSignedIn } from './failures.ts'
import { filterJson } from './jq.ts'
import { resolveTarget } from './login/resolve.ts'
import { readLogins, type StoredLogins } from './login/stored-logins.ts'
import type { Shell } from './shell.ts'
import { table } from './table.ts'
import { version } from './version.ts'

const groupSummaries: Record<string, string> = {
  team: 'Workspaces of this sign-in',
  app: 'Apps and their versions',
  task: 'Runs of apps',
  flow: 'Graphs of apps, and their runs',
  trigger: 'What starts by itself: cron, webhooks, at a time',
  secret: 'Secrets that apps ask for',
  key: 'API keys of the workspace',
  engine: 'Machines that run apps',
  remote: 'Machines of yours, at hand: commands there',
  broker: 'Renting out machines to a server',
  file: 'Files on the server',
  agent: 'Talking to agents',
  artifact: 'Published artifacts',
  knowledge: 'What agents know',
  skill: 'Skills of agents',
  project: 'Projects',
}

/** Taken wherever they stand, before the command's name or after it. */
const commonOptions: readonly (readonly [flags: string, meaning: string])[] = [
  ['--json', 'answer with JSON on stdout'],
  ['--jq <filter>', 'answer with what jq makes of the JSON, one line per result'],
  ['--api <url>', 'address of the API (default: MILLRACE_API_URL, or where you signed in)'],
]

export const runProgram = async (commands: readonly Command[], shell: Shell, words: string[]): Promise<number> => {
  let exitCode: number = exitCodes.ok
  const program = new Commander('millrace')
    .description('Deploy and run apps on a Millrace server')
    .version(version)
    .configureOutput({ writeOut: shell.out, writeErr: shell.err })
    .exitOverride()
    .showHelpAfterError('(add --help for help)')
    .addHelpText('after', `\n${exitCodeHelp()}\n\n${guides}`)
  for (const [flags, meaning] of commonOptions) program.option(flags, meaning)
  program.command('admin').description('Operator commands on the data folder of a server')
  for (const command of commands)
    addCommand(program, command, words, async (args, options) => {
      exitCode = await runCommand(commands, command, shell, args, { ...options, ...program.opts() })
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
  for (const [flags, meaning, repeats] of command.options ?? [])
    if (repeats) added.option(flags, meaning, (value: string, before: string[]) => [...before, value], [])
    else added.option(flags, meaning)
  if (command.moreOptions) added.allowUnknownOption().allowExcessArguments()
  added
    .addHelpText('before', () => command.moreHelp?.(words) ?? '')
    .configureHelp({ showGlobalOptions: true })
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

const guides = 'Guides: millrace open guides, or docs/guides in the sources'

type Target = { readonly shell: Shell; readonly options: Options; readonly stored: StoredLogins }

const createCli = (commands: readonly Command[], { shell, options, stored }: Target): Cli => {
  const jq = text(options, 'jq')
  const json = options.json === true || jq !== undefined
  const { apiUrl, login } = resolveTarget({ flag: text(options, 'api'), env: shell.env, stored })
  return {
    shell,
    json,
    commands,
    api: () => {
      if (login === null) throw notSignedIn()
      return makeApi(apiUrl, login)
    },
    openApi: () => makeApi(apiUrl, login),
    table: (headings, rows) => table(headings, rows, { columns: shell.outColumns, colours: shell.colours }),
    emit: async (value) => {
      const shown = jq === undefined ? JSON.stringify(value) : await filterJson(value, jq)
      if (shown !== '') shell.out(`${shown}\n`)
    },
    hint: (...lines) => {
      if (!json) shell.err(`${lines.join('\n')}\n`)
    },
  }
}

const runCommand = async (
  commands: readonly Command[],
  command: Command,
  shell: Shell,
  args: string[],
  options: Options,
): Promise<number> => {
  try {
    const cli = createCli(commands, { shell, options, stored: await readLogins(shell) })
    const result = await command.run(cli, args, options)
    if (cli.json && result.json !== undefined) await cli.emit(result.json)
    if (!cli.json && result.text !== '') shell.out(`${result.text}\n`)
    return result.exitCode ?? exitCodes.ok
  } catch (error) {
    const failure = describeFailure(error)
    shell.err(`${options.json === true ? JSON.stringify(failure.json) : failure.text}\n`)
    return failure.exitCode
  }
}
