// Engines: runs this machine as an engine, and manages the engines of the workspace.
import { hostname } from 'node:os'
import type { Scope } from '@millrace/contract/scopes'
import { engineMain, supervise } from '@millrace/engine/supervise'
import { type Api, createApi } from '../api/client.ts'
import {
  type Cli,
  type Command,
  type CommandOption,
  cursorOption,
  limitOption,
  type Options,
  pageOf,
  text,
  wholeNumber,
} from '../command.ts'
import { configFolder, readPrivateJson, writePrivateJson } from '../config-folder.ts'
import { appName } from '../deploy/template.ts'
import { exitCodes } from '../exit-codes.ts'
import { CliFailure } from '../failures.ts'
import { findNamed } from '../find.ts'
import { askForScopes } from '../login/device.ts'
import { changesOf, deleteCommand, requireChange, showCommand } from '../resource.ts'

const start: Command = {
  words: 'engine start',
  summary: 'Run apps on this machine, until interrupted',
  options: [
    ['--name <name>', 'name of the engine (default: the name of this machine)'],
    ['--workers <count>', 'number of tasks that run at once on the CPU (default 2)'],
    ['--gpus <gpus>', 'all, none, or GPUs such as 0,1 or 0+1 (one worker with two); default all'],
    ['--cache-path <folder>', 'folder for app code, packages and the id of the engine; one per engine'],
    ['--runtime <runtime>', 'process, bubblewrap, container or auto'],
    ['--config <path>', 'engine.yml with all settings, including the key'],
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
    ['--gpus', text(options, 'gpus')],
    ['--cache-path', text(options, 'cachePath')],
    ['--runtime', text(options, 'runtime')],
  ]
  return given.flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]))
}

/**
 * A configuration file has an address and a key of its own; otherwise those of this sign-in are used. They are passed in
 * the environment, because every user of the machine can read arguments.
 */
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

/** An engine outlives a session, so it gets its own key, which is created once and stored next to the sign-in. */
const engineKey = async ({ shell }: Cli, api: Api, name: string): Promise<string> => {
  const { login } = api
  if (login?.kind !== 'session') return login?.token ?? ''
  const folder = configFolder(shell)
  const file = `engine-${appName(name)}.json`
  const stored = (await readPrivateJson(`${folder}/${file}`)) as StoredKey | null
  if (stored?.api_url === api.url && stored.team_id === login.team_id) return stored.key
  const key = await newEngineKey(shell, api, name)
  await writePrivateJson(folder, file, { api_url: api.url, team_id: login.team_id, key } satisfies StoredKey)
  return key
}

/** The sign-in creates the key if it has the scope; otherwise a person approves the scopes of an engine. */
const newEngineKey = async (shell: Cli['shell'], api: Api, name: string): Promise<string> => {
  try {
    // A client of its own, because the one of the command would request the missing scope for a session.
    const body = { name: `engine ${name}`, scopes: engineScopes }
    return (await createApi(api.url, api.login).call('apikeys.create', { body })).key
  } catch (error) {
    if (!(error instanceof CliFailure) || error.code !== 'insufficient_scope') throw error
    const request = {
      scopes: engineScopes,
      command: 'millrace engine start',
      what: 'An engine',
      kind: 'api_key',
    } as const
    const { api_key: key } = await askForScopes(createApi(api.url, null), shell, {
      ...request,
      teamId: api.login?.team_id ?? '',
    })
    if (key === undefined) throw error
    return key
  }
}

const superviseUntilSignal = async (cli: Cli, settings: Record<string, string>, flags: string[]): Promise<number> => {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  // The terminal sends Ctrl-C to the engine, too. It must not be forwarded, because a second signal ends running tasks.
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
  options: [limitOption(50), cursorOption],
  example: 'millrace engine list',
  run: async (cli, _args, options) => {
    const page = await cli.api().call('engines.list', { body: pageOf(options, 50) })
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

const show = showCommand({
  noun: 'engine',
  example: 'gpu-box',
  find: async (api, given) => {
    const { id } = await findNamed(api, 'engine', given)
    return api.call('engines.get', { path: { id } })
  },
  rows: ({ id, name, status, engine_version, workers = [], created_at }) => [
    ['engine', name],
    ['id', id],
    ['status', status],
    ['version', engine_version],
    ['workers', `${workers.filter((worker) => worker.status === 'busy').length} busy of ${workers.length}`],
    ['created', created_at],
  ],
})

const updateOptions: readonly CommandOption[] = [['--name <name>', 'new name']]

const update: Command = {
  words: 'engine update <engine>',
  summary: 'Rename an engine',
  options: updateOptions,
  example: 'millrace engine update gpu-box --name gpu-rack',
  run: async (cli, [given = ''], options) => {
    const api = cli.api()
    requireChange(options, updateOptions)
    const { id } = await findNamed(api, 'engine', given)
    const engine = await api.call('engines.update', { path: { id }, body: changesOf(options, { name: 'name' }) })
    return { text: `Updated ${engine.name}`, json: engine }
  },
}

const remove = deleteCommand({
  noun: 'engine',
  summary: 'Stop and delete an engine',
  example: 'gpu-box',
  find: (api, given) => findNamed(api, 'engine', given),
  remove: (api, { id }) => api.call('engines.delete', { path: { id } }),
})

const control = (verb: 'drain' | 'stop', summary: string): Command => ({
  words: `engine ${verb} <engine>`,
  summary,
  example: `millrace engine ${verb} gpu-box`,
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
  show,
  update,
  remove,
  control('drain', 'Let an engine finish its tasks, then stop it'),
  control('stop', 'Stop an engine at once; its running tasks fail'),
]
