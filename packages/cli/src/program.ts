// Builds the command line from the commands: help with examples, common options, output and exit codes.
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
  workspace: 'Manage your workspaces',
  app: 'Manage apps and their versions',
  task: 'Manage tasks: the runs of apps',
  flow: 'Manage and run flows',
  trigger: 'Manage triggers: schedules and webhooks that start runs',
  secret: 'Manage secrets',
  connection: 'Manage connections to other services',
  key: 'Manage API keys',
  engine: 'Run and manage engines: machines that run apps',
  remote: 'Run and manage remotes: your machines that run commands',
  broker: 'Offer machines for rent to a server',
  file: 'Manage files on the server',
  agent: 'Manage and run agents',
  artifact: 'Manage published pages',
  knowledge: 'Manage knowledge entries',
  skill: 'Manage skills of agents',
  project: 'Manage projects',
}

/** Accepted before and after the name of the command. */
const commonOptions: readonly (readonly [flags: string, meaning: string])[] = [
  ['--json', 'print JSON'],
  ['--jq <filter>', 'filter the JSON with jq, one line per result'],
  ['--api <url>', 'address of the server (default: MILLRACE_API_URL, or the server of the last sign-in)'],
]

export const runProgram = async (commands: readonly Command[], shell: Shell, words: string[]): Promise<number> => {
  let exitCode: number = exitCodes.ok
  const json = wantsJson(words)
  const program = new Commander('millrace')
    .description('Deploy and run apps on a Millrace server')
    .configureOutput({ writeOut: shell.out, writeErr: json ? () => {} : shell.err })
    .exitOverride()
    .showHelpAfterError('hint: Add --help for help')
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
    return json ? printFailure(shell, true, usageOf(error, words)) : exitCodes.usage
  }
}

/** Some operations have a field `version`, which `--version` then sets. */
const takesFields = (commands: readonly Command[], words: readonly string[]): boolean =>
  commands.some((command) => command.moreOptions && words.includes(command.words.split(' ')[0] ?? ''))

type Act = (args: string[], options: Options) => Promise<void>

const addCommand = (program: Commander, command: Command, words: readonly string[], act: Act): void => {
  const { parent, name } = parentOf(program, command.words)
  const added = parent.command(name).description(command.summary)
  for (const [flags, meaning, repeats] of command.options ?? [])
    if (repeats) added.option(flags, meaning, (value: string, before: string[]) => [...before, value], [])
    else added.option(flags, meaning)
  if (command.moreOptions) added.allowUnknownOption().allowExcessArguments()
  added
    .addHelpText('before', () => command.moreHelp?.(words) ?? '')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', `\nExamples:\n  $ ${command.example.replaceAll('\n', '\n  $ ')}`)
    .action((...given: unknown[]) => {
      const named = given.slice(0, -2).filter((value): value is string => typeof value === 'string')
      return act(command.moreOptions ? added.args : named, added.opts())
    })
}

/** The group of a command such as `task logs <id>`, or the program for one such as `login`. */
const parentOf = (program: Commander, words: string): { parent: Commander; name: string } => {
  const [first = '', second, ...rest] = words.split(' ')
  if (second === undefined || /^[[<]/.test(second)) return { parent: program, name: words }
  const parent =
    program.commands.find((known) => known.name() === first) ??
    program.command(first).description(groupSummaries[first] ?? '')
  return { parent, name: [second, ...rest].join(' ') }
}

const guides = 'Guides: millrace open guides'

type CliContext = { readonly shell: Shell; readonly options: Options; readonly stored: StoredLogins }

/** Prints each notice once to stderr, as a sentence or with --json as a document. */
const createNoticePrinter = (shell: Shell, json: boolean): ((notice: Notice) => void) => {
  const printed = new Set<string>()
  return ({ level, code, message }) => {
    if (printed.has(message)) return
    printed.add(message)
    const line = `${level === 'warning' ? 'warning' : 'note'}: ${printable(message)}`
    shell.err(`${json ? JSON.stringify({ notice: { level, code, message } }) : line}\n`)
  }
}

const createCli = (
  commands: readonly Command[],
  { shell, options, stored }: CliContext,
): { cli: Cli; refusals: Refusals } => {
  const jq = text(options, 'jq')
  const json = options.json === true || jq !== undefined
  const flag = text(options, 'api')
  const target = resolveTarget({ flag, env: shell.env, stored })
  const { apiUrl, login } = target
  const command = (words: string) => `millrace ${words}${flag === undefined ? '' : ` --api ${apiUrl}`}`
  const refusals = createRefusals({ shell, target, command })
  const hooks = { onNotice: createNoticePrinter(shell, json), onRefusal: refusals.answer }
  const cli: Cli = {
    shell,
    json,
    commands,
    command,
    api: () => {
      if (login === null) throw notSignedIn(command('login'))
      return createApi(apiUrl, login, hooks)
    },
    openApi: () => createApi(apiUrl, login, hooks),
    table: (headings, rows) => table(headings, rows, { columns: shell.outColumns, colors: shell.colors }),
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
    return printFailure(shell, options.json === true, error)
  }
}

const printFailure = (shell: Shell, json: boolean, error: unknown): number => {
  const failure = describeFailure(error)
  shell.err(`${json ? JSON.stringify(failure.json) : failure.text}\n`)
  return failure.exitCode
}

/** Also works for arguments that cannot be parsed. */
const wantsJson = (words: readonly string[]): boolean => {
  const end = words.indexOf('--')
  return words.slice(0, end < 0 ? undefined : end).includes('--json')
}

/** The message of commander; a group without a command has none. */
const usageOf = ({ code, message }: CommanderError, words: readonly string[]): CliFailure =>
  code === 'commander.help'
    ? usage(
        'A command is required',
        `\`millrace ${[...words.filter((word) => !word.startsWith('-')), '--help'].join(' ')}\` lists the commands`,
      )
    : usage(message.replace(/^error: /, ''))
