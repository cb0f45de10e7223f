// Remotes: this machine as one, what was asked of it, and the ones that are there.
import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { HarnessEntry, Remote } from '@millrace/contract/remotes'
import { type Cli, type Command, flag, limitOf, type Options, text, texts } from '../command.ts'
import { configFolder } from '../config-folder.ts'
import { exitCodes } from '../exit-codes.ts'
import { CliFailure } from '../failures.ts'
import { findNamed } from '../find.ts'
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
  ['--exec', 'let commands run here; without it none do'],
  ['--agents', 'let coding agents of this machine be driven'],
  ['--allow <prefix>', 'run only commands that begin so; may be given several times', 'repeats'],
  ['--cwd <folder>', 'where commands begin (default: your home folder)'],
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
    `Commands   ${exec ? `ON: ${allowed}, as this user, asked for by you or by agents you allow` : 'off (--exec lets them run)'}`,
    `Agents     ${remote.agents_enabled ? 'ON' : 'off (--agents lets them be driven)'}`,
    `Found      ${remote.profiles.map(({ display_name: name, status }) => `${name} (${status})`).join(', ') || 'no coding agents'}`,
    `Folder     ${cwd}`,
    `Log        ${logFile(folderOf(cli))}`,
    'Ctrl-C ends it, and what runs here with it.',
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

/** What this machine itself allows and has found, whatever the server says. */
type Local = { policy: Policy; agents: boolean; harnesses: readonly HarnessEntry[]; cwd: string }

const serve = async (cli: Cli, remote: Remote, local: Local): Promise<string | null> => {
  const { policy, cwd } = local
  const { shell } = cli
  const { url, login } = cli.api()
  const stopping = new AbortController()
  let byPerson = false
  const release = shell.onInterrupt(() => {
    byPerson = true
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
      keeper: {
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
      endsCommands: () => byPerson,
    })
  } finally {
    process.off('SIGTERM', stop)
    release()
  }
}

const start: Command = {
  words: 'remote start',
  summary: 'Make this machine a remote, until interrupted',
  options: startOptions,
  example: 'millrace remote start\nmillrace remote start --exec --allow "git status" --allow "npm test"',
  run: async (cli, _args, options) => {
    const policy = policyOf(options)
    const cwd = resolve(cli.shell.cwd, text(options, 'cwd') ?? cli.shell.home)
    const harnesses = await findHarnesses(cli.shell.env.PATH ?? '', cli.shell.home)
    const remote = await register(cli, options, harnesses)
    cli.hint(banner(cli, remote, policy, cwd))
    const refused = await serve(cli, remote, { policy, agents: flag(options, 'agents'), harnesses, cwd })
    if (refused !== null) throw new CliFailure(`The remote ends: ${refused}`, { exitCode: exitCodes.refused })
    return { text: '', json: { id: remote.id, ended: 'done' } }
  },
}

const list: Command = {
  words: 'remote list',
  summary: 'List your remotes',
  options: [['--limit <count>', 'how many (default 50)']],
  example: 'millrace remote list',
  run: async (cli, _args, options) => {
    const page = await cli.api().call('remotes.list', { body: { limit: limitOf(options, 50) } })
    const rows = page.items.map((remote) => [
      remote.short_id,
      remote.name,
      remote.status,
      remote.exec_enabled ? 'on' : 'off',
      remote.system_info?.os ?? '',
    ])
    return { text: cli.table(['ID', 'NAME', 'STATUS', 'COMMANDS', 'SYSTEM'], rows), json: page }
  },
}

const launch: Command = {
  words: 'remote launch <remote>',
  summary: 'Begin a chat with a coding agent of a remote',
  options: [
    ['--agent <kind>', 'which, when there are several: claude, codex, cursor, gemini, goose, kiro'],
    ['--cwd <folder>', 'where it begins'],
    ['--resume <session>', 'go on with a session of its own'],
  ],
  example: 'millrace remote launch laptop --agent claude --cwd ~/project',
  run: async (cli, [named = ''], options) => {
    const api = cli.api()
    const { id, name } = await findNamed(api, 'remote', named)
    const { profiles } = await api.call('remotes.get', { path: { id } })
    const kind = text(options, 'agent')
    const fitting = profiles.filter((one) => (kind ? one.harness_kind === kind : one.status !== 'unavailable'))
    const [profile] = fitting
    const found = profiles.map((one) => `${one.harness_kind} (${one.status})`).join(', ') || 'none'
    if (!profile) throw new CliFailure(`${name} has no such coding agent; it has: ${found}`)
    if (fitting.length > 1) throw new CliFailure(`Say which with --agent; ${name} has: ${found}`)
    const [folder, session] = [text(options, 'cwd'), text(options, 'resume')]
    const chat = await api.call('remotes.launch', {
      path: { id },
      body: {
        profile_id: profile.id,
        ...(folder !== undefined && { work_dir: folder }),
        ...(session !== undefined && { resume_session_id: session }),
      },
    })
    return { text: chat.id, json: chat }
  },
}

const logs: Command = {
  words: 'remote logs',
  summary: 'Commands that were asked of this machine, from its own log',
  options: [['--limit <count>', 'how many of the last (default 50)']],
  example: 'millrace remote logs --limit 10',
  run: async (cli, _args, options) => {
    const entries = readLog(folderOf(cli), limitOf(options, 50))
    const rows = entries.map((one) => [
      one.at,
      one.refused === undefined ? 'ran' : 'refused',
      one.cwd,
      [one.command, ...one.args].join(' '),
    ])
    return { text: cli.table(['AT', 'WHAT', 'FOLDER', 'COMMAND'], rows), json: entries }
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
  if (!found) throw new CliFailure(`There is no service manager for ${platform} here; run millrace remote start itself`)
  return found
}

/** What the service manager says is shown; a machine without one still has the file. */
const manage = async (cli: Cli, commands: Service['enable']): Promise<void> => {
  for (const [program = '', ...args] of commands)
    await promisify(execFile)(program, args, { timeout: 30_000 }).catch((error: Error) =>
      cli.hint(`${[program, ...args].join(' ')} did not work: ${error.message.split('\n')[0]}`),
    )
}

const wordsOf = (options: Options): string[] => [
  ...(text(options, 'name') === undefined ? [] : ['--name', text(options, 'name') ?? '']),
  ...(flag(options, 'exec') ? ['--exec'] : []),
  ...(flag(options, 'agents') ? ['--agents'] : []),
  ...texts(options, 'allow').flatMap((prefix) => ['--allow', prefix]),
  ...(text(options, 'cwd') === undefined ? [] : ['--cwd', text(options, 'cwd') ?? '']),
]

const install: Command = {
  words: 'remote install',
  summary: 'Start the remote with your session: a systemd user unit, or a launchd agent',
  options: startOptions,
  example: 'millrace remote install --exec --allow "npm test"',
  run: async (cli, _args, options) => {
    // A service has no key in its file: it needs the stored sign-in.
    if (cli.shell.env.MILLRACE_API_KEY)
      throw new CliFailure('A service uses your stored sign-in: run `millrace login` without MILLRACE_API_KEY first')
    cli.api()
    const { path, content, enable } = service(cli, wordsOf(options))
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content, { mode: 0o600 })
    await manage(cli, enable)
    return { text: `installed ${path}`, json: { path } }
  },
}

const uninstall: Command = {
  words: 'remote uninstall',
  summary: 'Take the service away again',
  example: 'millrace remote uninstall',
  run: async (cli) => {
    const { path, disable, forget } = service(cli, [])
    await manage(cli, disable)
    await rm(path, { force: true })
    await manage(cli, forget)
    return { text: `removed ${path}`, json: { path } }
  },
}

export const remoteCommands = [start, list, launch, logs, install, uninstall]
