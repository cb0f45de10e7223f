// Connections to other services.
import type { ProviderConfig } from '@millrace/contract/credentials'
import { type Cli, type Command, type Result, texts } from '../command.ts'
import { CliFailure, usage } from '../failures.ts'
import { notFound } from '../find.ts'
import { askSecret, askText } from '../login/ask.ts'
import { hasBrowser } from '../login/device.ts'
import { deleteCommand, showCommand } from '../resource.ts'
import { readAll } from '../shell.ts'
import { suggest } from '../suggest.ts'

const list: Command = {
  words: 'connection list',
  summary: 'List providers and their connections',
  example: 'millrace connection list',
  run: async (cli) => {
    const configs = await cli.api().call('credentials.configs')
    const rows = configs.map(({ slug, type, name, available, credential }) => [
      slug,
      credential?.status ?? (available ? '' : 'not configured'),
      type,
      name,
      credential?.account_name ?? credential?.account_identifier,
    ])
    return { text: cli.table(['PROVIDER', 'STATUS', 'TYPE', 'NAME', 'ACCOUNT'], rows), json: configs }
  },
}

const show = showCommand({
  noun: 'connection',
  argument: 'provider',
  example: 'openai',
  find: (api, provider) => api.call('credentials.get', { path: { provider } }),
  rows: ({ provider, type, status, account_name, account_identifier, created_at }) => [
    ['provider', provider],
    ['type', type],
    ['status', status],
    ['account', account_name ?? account_identifier],
    ['created', created_at],
  ],
})

const configOf = async (cli: Cli, slug: string): Promise<ProviderConfig> => {
  const configs = await cli.api().call('credentials.configs')
  // A provider may have several types of connections: prefer one that needs no preparation.
  const ofProvider = configs.filter((config) => config.slug === slug)
  const found = ofProvider.find(({ available }) => available) ?? ofProvider[0]
  if (found) return found
  const slugs = configs.map((config) => config.slug)
  throw notFound('Provider', slug, suggest(slug, slugs) || '`millrace connection list` lists them')
}

/** A single value can come from stdin; several are prompted for or passed with --field. */
const valuesFor = async (cli: Cli, config: ProviderConfig, given: readonly string[]): Promise<Map<string, string>> => {
  const values = new Map(given.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
  const fields = config.secret_fields ?? []
  const missing = fields.filter(({ key, optional }) => !optional && !values.has(key))
  for (const { key, label, sensitive } of missing) {
    if (cli.shell.interactive) values.set(key, await (sensitive ? askSecret(label) : askText(label)))
    else if (missing.length === 1) values.set(key, (await readAll(cli.shell.stdin)).trim())
    if (!values.get(key))
      throw usage(`${config.name} needs a value`, `Pass ${missing.map((field) => `--field ${field.key}=…`).join(' ')}`)
  }
  return values
}

const connectWithKey = async (cli: Cli, config: ProviderConfig, given: readonly string[]): Promise<Result> => {
  const values = await valuesFor(cli, config, given)
  const [only] = values.values()
  const { credential } = await cli.api().call('credentials.connect', {
    body: {
      provider: config.slug,
      type: config.type,
      ...(values.size === 1 ? { api_key: only } : { metadata: Object.fromEntries(values) }),
    },
  })
  return { text: `${config.name} ${credential.status}`, json: credential }
}

/** The service redirects the browser to the console, which finishes the connection. */
const connectInBrowser = async (cli: Cli, config: ProviderConfig): Promise<Result> => {
  const { slug, type, name, grant } = config
  if (grant === 'credentials')
    throw new CliFailure(`${name} needs an OAuth app of your own`, {
      code: 'invalid_state',
      hint: 'Add it on the connections page: `millrace open connections`',
    })
  const answer = await cli.api().call('credentials.connect', { body: { provider: slug, type } })
  const { auth_url: url, credential, instructions } = answer
  if (url === undefined) return { text: instructions ?? `${name} ${credential.status}`, json: credential }
  cli.hint('Open this address in a browser that is signed in to the console:')
  if (hasBrowser(cli.shell)) cli.shell.openUrl(url)
  return { text: url, json: { ...credential, auth_url: url } }
}

const create: Command = {
  words: 'connection create <provider>',
  summary: 'Connect a service that apps can use, or replace the key of a connection',
  options: [
    ['--field <key=value>', 'a value that the service requires; a single value can come from stdin', 'repeats'],
  ],
  example: 'millrace connection create openai < key.txt',
  run: async (cli, [slug = ''], options) => {
    const config = await configOf(cli, slug)
    const given = texts(options, 'field')
    if (given.some((pair) => !/^[^=]+=/.test(pair))) throw usage('--field must be key=value')
    return config.type === 'oauth' || config.type === 'mcp'
      ? connectInBrowser(cli, config)
      : connectWithKey(cli, config, given)
  },
}

const remove = deleteCommand({
  noun: 'connection',
  argument: 'provider',
  example: 'openai',
  find: async (api, provider) => ({
    id: (await api.call('credentials.get', { path: { provider } })).id,
    name: provider,
  }),
  remove: (api, { name }) => api.call('credentials.disconnect', { path: { provider: name } }),
})

export const connectionCommands = [list, show, create, remove]
