// Engines: this machine as one, and the ones that are there.
import { hostname } from 'node:os'
import type { Scope } from '@millrace/contract/scopes'
import { engineMain, supervise } from '@millrace/engine/supervise'
import { type Api, createApi } from '../api/client.ts'
import { type Cli, type Command, limitOf, type Options, text, wholeNumber } from '../command.ts'
import { configFolder, readPrivateJson, writePrivateJson } from '../config-folder.ts'
import { slugOf } from '../deploy/template.ts'
import { exitCodes } from '../exit-codes.ts'
import { CliFailure } from '../failures.ts'
import { findNamed } from '../find.ts'
import { askForScopes } from '../login/device.ts'

const start: Command = {
  words: 'engine start',
  summary: 'Run apps on this machine, until interrupted',
  options: [
    ['--name <name>', 'name of the engine (default: the name of this machine)'],
    ['--workers <count>', 'how many tasks at once on the CPU (default 2)'],
    ['--cache-path <folder>', 'where it keeps code and its identity; one folder per engine'],
    ['--runtime <runtime>', 'process, bubblewrap, container or auto'],
    ['--config <path>', 'an engine.yml with all settings, the key included'],
  ],
  example: 'millrace engine start --name gpu-box --workers 4\nmillrace engine start --config engine.yml',
  run: async (cli, _args, options) => {
    const code = await superviseUntilSignal(cli, await settingsOf(cli, options), flagsOf(options))
    return {
      text: '',
      json: { ended: code === 0 ? 'done' : 'refused' },
      exitCode: code === 0 ? exitCodes.ok : exitCodes.refused,
    }
  },
}

const flagsOf = (options: Options): string[] => {
  const workers = wholeNumber(options, 'workers')
  const given: [string, string | undefined][] = [
    ['--config', text(options, 'config')],
    ['--name', text(options, 'name')],
    ['--cpu-workers', workers === undefined ? undefined : String(workers)],
    ['--cache-path', text(options, 'cachePath')],
    ['--runtime', text(options, 'runtime')],
  ]
  return given.flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]))
}

/** A configuration file brings its own address and key; otherwise they are this sign-in's. In the environment, not in the words: those are seen by every user of the machine. */
const settingsOf = async (cli: Cli, options: Options): Promise<Record<string, string>> => {
  if (text(options, 'config') !== undefined) return {}
  const api = cli.api()
  const name = text(options, 'name') ?? cli.shell.env.MILLRACE_ENGINE_NAME ?? hostname()
  return { MILLRACE_API_URL: api.url, MILLRACE_API_KEY: await engineKey(cli, api, name) }
}

const engineScopes: Scope[] = [
  'engines:read',
  'engines:write',
  'apps:read',
  'apps:execute',
  'files:read',
  'files:write',
]

type StoredKey = { api_url: string; team_id: string; key: string }

/** An engine outlives a session: with one, it gets a key of its own, made once and kept beside the sign-in. */
const engineKey = async ({ shell }: Cli, api: Api, name: string): Promise<string> => {
  const { login } = api
  if (login?.kind !== 'session') return login?.token ?? ''
  const folder = configFolder(shell)
  const file = `engine-${slugOf(name)}.json`
  const stored = (await readPrivateJson(`${folder}/${file}`)) as StoredKey | null
  if (stored?.api_url === api.url && stored.team_id === login.team_id) return stored.key
  const key = await newEngineKey(shell, api, name)
  await writePrivateJson(folder, file, { api_url: api.url, team_id: login.team_id, key } satisfies StoredKey)
  return key
}

/** Made by the sign-in itself where it may; otherwise a person approves exactly what an engine needs. */
const newEngineKey = async (shell: Cli['shell'], api: Api, name: string): Promise<string> => {
  try {
    // By itself, not through the command line's own ways around a refusal: what is asked for here is a key.
    const body = { name: `engine ${name}`, scopes: engineScopes }
    return (await createApi(api.url, api.login).call('apikeys.create', { body })).key
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code !== 'insufficient_scope') throw error
    const wish = { scopes: engineScopes, command: 'millrace engine start', what: 'An engine', kind: 'api_key' } as const
    const { api_key: key } = await askForScopes(createApi(api.url, null), shell, {
      ...wish,
      teamId: api.login?.team_id ?? '',
    })
    if (key === undefined) throw error
    return key
  }
}

const superviseUntilSignal = async (cli: Cli, settings: Record<string, string>, flags: string[]): Promise<number> => {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  // Ctrl-C reaches the engine by itself, as part of the terminal's foreground; it must not hear of it twice, because
  // the second signal ends running tasks.
  const release = cli.shell.onInterrupt(cli.shell.interactive ? () => {} : stop)
  process.on('SIGTERM', stop)
  try {
    return await supervise({
      command: [process.execPath, engineMain, ...flags],
      env: { ...cli.shell.env, ...settings },
      signal: stopping.signal,
    })
  } finally {
    process.off('SIGTERM', stop)
    release()
  }
}

const list: Command = {
  words: 'engine list',
  summary: 'List engines',
  options: [['--limit <count>', 'how many (default 50)']],
  example: 'millrace engine list',
  run: async (cli, _args, options) => {
    const page = await cli.api().call('engines.list', { body: { limit: limitOf(options, 50) } })
    const rows = page.items.map(({ workers = [], ...engine }) => [
      engine.short_id,
      engine.name,
      engine.status,
      `${workers.filter(({ status }) => status === 'busy').length}/${workers.length}`,
      engine.engine_version,
    ])
    return { text: cli.table(['ID', 'NAME', 'STATUS', 'BUSY', 'VERSION'], rows), json: page }
  },
}

const control = (verb: 'drain' | 'stop', summary: string): Command => ({
  words: `engine ${verb} <engine>`,
  summary,
  example: `millrace engine ${verb} 01jqv3w7`,
  run: async (cli, [given = '']) => {
    const api = cli.api()
    const { id } = await findNamed(api, 'engine', given)
    const engine = await api.call(`engines.${verb}`, { path: { id } })
    return { text: `${engine.name} ${engine.status}`, json: engine }
  },
})

export const engineCommands = [
  start,
  list,
  control('drain', 'Let an engine finish its tasks and end'),
  control('stop', 'End an engine at once; what it runs fails'),
]
