// Runs this machine as a remote, in the terminal or as a service.
import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { HarnessEntry, Remote } from '@millrace/contract/remotes'
import { type Cli, type Command, flag, limitOf, limitOption, type Options, text, texts } from '../command.ts'
import { configFolder } from '../config-folder.ts'
import { exitCodes } from '../exit-codes.ts'
import { CliFailure } from '../failures.ts'
import { logFile, readLog } from '../remote/command-log.ts'
import { runDaemon } from '../remote/daemon.ts'
import { drivers } from '../remote/harness/drivers.ts'
import { loadIdentity } from '../remote/identity.ts'
import { findHarnesses, systemInfo } from '../remote/machine.ts'
import type { Policy } from '../remote/policy.ts'
import { linkTimes } from '../remote/server-link.ts'
import { type Service, serviceFor } from '../remote/service-unit.ts'
import { createSessions } from '../remote/sessions.ts'
import { printable } from '../table.ts'
import { version } from '../version.ts'

const folderOf = (cli: Cli): string => join(configFolder(cli.shell), 'remote')

const startOptions = [
  ['--name <name>', 'name of the remote (default: the name of this machine)'],
  ['--exec', 'accept commands (default: none)'],
  ['--agents', 'let chats use the coding agents of this machine'],
  ['--allow <prefix>', 'accept only commands that start with this; can be repeated', 'repeats'],
  ['--cwd <folder>', 'working directory of commands (default: your home folder)'],
] as const

const policyOf = (options: Options): Policy => ({ exec: flag(options, 'exec'), allow: texts(options, 'allow') })

const withoutOwn = (env: Cli['shell']['env']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || name.startsWith('MILLRACE_') ? [] : [[name, value]],
    ),
  )

const banner = (cli: Cli, remote: Remote, { exec, allow }: Policy, cwd: string): string => {
  const allowed = allow.length === 0 ? 'any command' : `only ${allow.map((prefix) => `"${prefix}"`).join(', ')}`
  return [
    `Remote     ${printable(remote.name)} (${remote.short_id})`,
    `Server     ${cli.api().url}`,
    `Commands   ${exec ? `ON: ${allowed}, as this user, from you and from agents that you allow` : 'off (--exec turns them on)'}`,
    `Agents     ${remote.agents_enabled ? 'ON' : 'off (--agents turns them on)'}`,
    `Installed  ${remote.profiles.map(({ display_name: name, status }) => `${name} (${status})`).join(', ') || 'no coding agents'}`,
    `Folder     ${cwd}`,
    `Log        ${logFile(folderOf(cli))}`,
    'Ctrl-C stops the remote and its running commands.',
    '',
  ].join('\n')
}

const register = async (cli: Cli, options: Options, harnesses: HarnessEntry[]): Promise<Remote> => {
  const { public_key } = await loadIdentity(cli.shell)
  return cli.api().call('remotes.register', {
    body: {
      name: text(options, 'name') ?? hostname(),
      public_key,
      remote_version: version,
      system_info: systemInfo(),
      exec_enabled: flag(options, 'exec'),
      agents_enabled: flag(options, 'agents'),
      harnesses,
    },
  })
}

/** The permissions and agents of this machine, independent of the server. */
type Local = { policy: Policy; agents: boolean; harnesses: readonly HarnessEntry[]; cwd: string }

const serve = async (cli: Cli, remote: Remote, local: Local): Promise<string | null> => {
  const { policy, cwd } = local
  const { shell } = cli
  const { url, login } = cli.api()
  const stopping = new AbortController()
  let isInterrupted = false
  const release = shell.onInterrupt(() => {
    isInterrupted = true
    stopping.abort()
  })
  const stop = () => stopping.abort()
  process.on('SIGTERM', stop)
  const say = (line: string) => shell.err(`${shell.now().toISOString()}  ${printable(line)}\n`)
  try {
    return await runDaemon({
      url: `${url.replace(/^http/, 'ws')}/ws/remotes/${remote.id}`,
      headers: {
        authorization: `Bearer ${login?.token ?? ''}`,
        ...(login?.team_id ? { 'x-team-id': login.team_id } : {}),
      },
      folder: folderOf(cli),
      cwd,
      policy,
      supervisor: {
        folder: folderOf(cli),
        cwd: shell.home,
        command: [process.execPath, process.argv[1] ?? '', 'remote-keeper'],
        env: withoutOwn(shell.env),
      },
      sessions: createSessions({
        isOn: local.agents,
        commands: new Map(local.harnesses.map(({ kind, command }) => [kind, command ?? ''])),
        drivers,
        cwd,
        env: withoutOwn(shell.env),
        now: shell.now,
        say,
      }),
      times: linkTimes,
      now: shell.now,
      say,
      signal: stopping.signal,
      endsCommands: () => isInterrupted,
    })
  } finally {
    process.off('SIGTERM', stop)
    release()
  }
}

const start: Command = {
  words: 'remote start',
  summary: 'Run this machine as a remote, until interrupted',
  options: startOptions,
  example: 'millrace remote start\nmillrace remote start --exec --allow "git status" --allow "npm test"',
  run: async (cli, _args, options) => {
    const policy = policyOf(options)
    const cwd = resolve(cli.shell.cwd, text(options, 'cwd') ?? cli.shell.home)
    const harnesses = await findHarnesses(cli.shell.env.PATH ?? '', cli.shell.home)
    const remote = await register(cli, options, harnesses)
    cli.hint(banner(cli, remote, policy, cwd))
    const refused = await serve(cli, remote, { policy, agents: flag(options, 'agents'), harnesses, cwd })
    if (refused !== null)
      throw new CliFailure(`The server refused the remote: ${refused}`, { exitCode: exitCodes.refused })
    return { text: '', json: { id: remote.id, ended: 'done' } }
  },
}

const logs: Command = {
  words: 'remote logs',
  summary: 'List the latest commands of this machine from its log',
  options: [limitOption(50)],
  example: 'millrace remote logs --limit 10',
  run: async (cli, _args, options) => {
    const entries = readLog(folderOf(cli), limitOf(options, 50))
    const rows = entries.map((one) => [
      one.at,
      one.refused === undefined ? 'ran' : 'refused',
      one.cwd,
      [one.command, ...one.args].join(' '),
    ])
    return { text: cli.table(['TIME', 'RESULT', 'FOLDER', 'COMMAND'], rows), json: entries }
  },
}

const service = (cli: Cli, words: readonly string[]): Service => {
  const { env, home, platform } = cli.shell
  const found = serviceFor({
    command: [process.execPath, process.argv[1] ?? '', 'remote', 'start', ...words],
    env: {
      ...(env.PATH === undefined ? {} : { PATH: env.PATH }),
      MILLRACE_API_URL: cli.openApi().url,
      MILLRACE_CONFIG_DIR: configFolder(cli.shell),
    },
    home,
    platform,
  })
  if (!found)
    throw new CliFailure(`Services are not supported on ${platform}`, { hint: 'Run `millrace remote start` instead' })
  return found
}

/** Shows failures of the service manager. A machine without one still gets the file. */
const manage = async (cli: Cli, commands: Service['enable']): Promise<void> => {
  for (const [program = '', ...args] of commands)
    await promisify(execFile)(program, args, { timeout: 30_000 }).catch((error: Error) =>
      cli.hint(`${[program, ...args].join(' ')} failed: ${error.message.split('\n')[0]}`),
    )
}

const argumentsOf = (options: Options): string[] => [
  ...(text(options, 'name') === undefined ? [] : ['--name', text(options, 'name') ?? '']),
  ...(flag(options, 'exec') ? ['--exec'] : []),
  ...(flag(options, 'agents') ? ['--agents'] : []),
  ...texts(options, 'allow').flatMap((prefix) => ['--allow', prefix]),
  ...(text(options, 'cwd') === undefined ? [] : ['--cwd', text(options, 'cwd') ?? '']),
]

const install: Command = {
  words: 'remote install',
  summary: 'Install the remote as a service: a systemd user unit or a launchd agent',
  options: startOptions,
  example: 'millrace remote install --exec --allow "npm test"',
  run: async (cli, _args, options) => {
    // The file of the service contains no key, so the service needs the stored sign-in.
    if (cli.shell.env.MILLRACE_API_KEY)
      throw new CliFailure('A service uses the stored sign-in, but MILLRACE_API_KEY is set', {
        hint: 'Unset it and run `millrace login`',
      })
    cli.api()
    const { path, content, enable } = service(cli, argumentsOf(options))
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content, { mode: 0o600 })
    await manage(cli, enable)
    return { text: `Installed ${path}`, json: { path } }
  },
}

const uninstall: Command = {
  words: 'remote uninstall',
  summary: 'Remove the service',
  example: 'millrace remote uninstall',
  run: async (cli) => {
    const { path, disable, forget } = service(cli, [])
    await manage(cli, disable)
    await rm(path, { force: true })
    await manage(cli, forget)
    return { text: `Removed ${path}`, json: { path } }
  },
}

export const remoteStartCommands = [start, logs, install, uninstall]
