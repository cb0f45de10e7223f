// Commands become a command line: words, help with an example, `--json` and `--api` everywhere, one way to end.
import type { Notice } from '@millrace/contract/common'
import { Command as Commander, CommanderError } from 'commander'
import { createApi } from './api/client.ts'
import type { Cli, Command, Options } from './command.ts'
import { text } from './command.ts'
import { exitCodeHelp, exitCodes } from './exit-codes.ts'
import { type CliFailure, describeFailure, notSignedIn, usage } from './failures.ts'
import { filterJson } from './jq.ts'
import { createRefusals, type Refusals } from './login/refusals.ts'
import { resolveTarget } from './login/resolve.ts'
import { readLogins, type StoredLogins } from './login/stored-logins.ts'
import type { Shell } from './shell.ts'
import { printable, table } from './table.ts'
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
  const json = wantsJson(words)
  const program = new Commander('millrace')
    .description('Deploy and run apps on a Millrace server')
    .configureOutput({ writeOut: shell.out, writeErr: json ? () => {} : shell.err })
    .exitOverride()
    .showHelpAfterError('(add --help for help)')
    .addHelpText('after', `\n${exitCodeHelp()}\n\n${guides}`)
  if (!takesFields(commands, words)) program.version(version)
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
    if (error.exitCode === 0) return exitCodes.ok
    return json ? sayFailure(shell, true, usageOf(error, words)) : exitCodes.usage
  }
}

/** `--version` is a field of some operations. */
const takesFields = (commands: readonly Command[], words: readonly string[]): boolean =>
  commands.some((command) => command.moreOptions && words.includes(command.words.split(' ')[0] ?? ''))

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

type Given = { readonly shell: Shell; readonly options: Options; readonly stored: StoredLogins }

/** One line each, on stderr: people read a sentence, scripts a document. */
const tellNotices = (shell: Shell, json: boolean): ((notice: Notice) => void) => {
  const told = new Set<string>()
  return ({ level, code, message }) => {
    if (told.has(message)) return
    told.add(message)
    const line = `${level === 'warning' ? 'warning' : 'note'}: ${printable(message)}`
    shell.err(`${json ? JSON.stringify({ notice: { level, code, message } }) : line}\n`)
  }
}

const createCli = (
  commands: readonly Command[],
  { shell, options, stored }: Given,
): { cli: Cli; refusals: Refusals } => {
  const jq = text(options, 'jq')
  const json = options.json === true || jq !== undefined
  const flag = text(options, 'api')
  const target = resolveTarget({ flag, env: shell.env, stored })
  const { apiUrl, login } = target
  const command = (words: string) => `millrace ${words}${flag === undefined ? '' : ` --api ${apiUrl}`}`
  const refusals = createRefusals({ shell, target, command })
  const surroundings = { tell: tellNotices(shell, json), onRefusal: refusals.answer }
  const cli: Cli = {
    shell,
    json,
    commands,
    command,
    api: () => {
      if (login === null) throw notSignedIn(command('login'))
      return createApi(apiUrl, login, surroundings)
    },
    openApi: () => createApi(apiUrl, login, surroundings),
    table: (headings, rows) => table(headings, rows, { columns: shell.outColumns, colours: shell.colours }),
    emit: async (value) => {
      const shown = jq === undefined ? JSON.stringify(value) : await filterJson(value, jq)
      if (shown !== '') shell.out(`${shown}\n`)
    },
    hint: (...lines) => {
      if (!json) shell.err(`${lines.join('\n')}\n`)
    },
  }
  return { cli, refusals }
}

const runCommand = async (
  commands: readonly Command[],
  command: Command,
  shell: Shell,
  args: string[],
  options: Options,
): Promise<number> => {
  try {
    const { cli, refusals } = createCli(commands, { shell, options, stored: await readLogins(shell) })
    const result = await command.run(cli, args, options).finally(refusals.forget)
    if (cli.json && result.json !== undefined) await cli.emit(result.json)
    if (!cli.json && result.text !== '') shell.out(`${result.text}\n`)
    return result.exitCode ?? exitCodes.ok
  } catch (error) {
    return sayFailure(shell, options.json === true, error)
  }
}

const sayFailure = (shell: Shell, json: boolean, error: unknown): number => {
  const failure = describeFailure(error)
  shell.err(`${json ? JSON.stringify(failure.json) : failure.text}\n`)
  return failure.exitCode
}

/** Words that cannot be read at all may still say how to answer. */
const wantsJson = (words: readonly string[]): boolean => {
  const end = words.indexOf('--')
  return words.slice(0, end < 0 ? undefined : end).includes('--json')
}

/** Commander's own sentence; a group that was named alone has none. */
const usageOf = ({ code, message }: CommanderError, words: readonly string[]): CliFailure =>
  usage(
    code === 'commander.help'
      ? `A command is missing; millrace ${[...words.filter((word) => !word.startsWith('-')), '--help'].join(' ')} lists them`
      : message.replace(/^error: /, ''),
  )
