// Connections to other services: what is connected, what could be, and connecting it.
import type { ProviderConfig } from '@millrace/contract/credentials'
import { type Cli, type Command, flag, type Result, texts } from '../command.ts'
import { confirm, yesOption } from '../confirm.ts'
import { CliFailure, usage } from '../failures.ts'
import { askSecret, askText } from '../login/ask.ts'
import { hasBrowser } from '../login/device.ts'
import { meant } from '../near.ts'
import { readAll } from '../shell.ts'

const overview = async (cli: Cli): Promise<Result> => {
  const configs = await cli.api().call('credentials.configs')
  const rows = configs.map(({ slug, type, name, available, credential }) => [
    slug,
    credential?.status ?? (available ? '' : 'not set up'),
    type,
    name,
    credential?.account_name ?? credential?.account_identifier,
  ])
  return { text: cli.table(['PROVIDER', 'STATUS', 'KIND', 'NAME', 'ACCOUNT'], rows), json: configs }
}

const configOf = async (cli: Cli, slug: string): Promise<ProviderConfig> => {
  const configs = await cli.api().call('credentials.configs')
  // A service may be connected in several ways: the first that needs no preparation.
  const ways = configs.filter((config) => config.slug === slug)
  const found = ways.find(({ available }) => available) ?? ways[0]
  if (found) return found
  const slugs = configs.map((config) => config.slug)
  const hint = meant(slug, slugs) || ' `millrace connect` lists them'
  throw new CliFailure(`There is no provider ${slug}.${hint}`, { code: 'not_found' })
}

/** One value may come from stdin; several are asked for, or named one by one. */
const valuesFor = async (cli: Cli, config: ProviderConfig, given: readonly string[]): Promise<Map<string, string>> => {
  const values = new Map(given.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
  const fields = config.secret_fields ?? []
  const missing = fields.filter(({ key, optional }) => !optional && !values.has(key))
  for (const { key, label, sensitive } of missing) {
    if (cli.shell.interactive) values.set(key, await (sensitive ? askSecret(label) : askText(label)))
    else if (missing.length === 1) values.set(key, (await readAll(cli.shell.stdin)).trim())
    if (!values.get(key)) throw usage(`Give ${missing.map((field) => `--field ${field.key}=…`).join(' ')}`)
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

/** The service sends the browser back to the console, which finishes the connection. */
const connectInBrowser = async (cli: Cli, config: ProviderConfig): Promise<Result> => {
  const { slug, type, name, grant } = config
  if (grant === 'credentials')
    throw new CliFailure(`${name} needs an OAuth app of yours first: the connections page takes it`, {
      code: 'invalid_state',
      details: ['millrace open connections'],
    })
  const answer = await cli.api().call('credentials.connect', { body: { provider: slug, type } })
  const { auth_url: url, credential, instructions } = answer
  if (url === undefined) return { text: instructions ?? `${name} ${credential.status}`, json: credential }
  cli.hint('Allow it in a browser in which you are signed in to the console:')
  if (hasBrowser(cli.shell)) cli.shell.openUrl(url)
  return { text: url, json: { ...credential, auth_url: url } }
}

const connect: Command = {
  words: 'connect [provider]',
  summary: 'Connect a service that apps may use; alone: list them',
  options: [
    ['--field <key=value>', 'a value the service asks for; a single one can come from stdin', 'repeats'],
    ['--disconnect', 'end the connection instead'],
    yesOption,
  ],
  example: 'millrace connect\nmillrace connect openai < key.txt\nmillrace connect openai --disconnect --yes',
  run: async (cli, [slug], options) => {
    if (slug === undefined) return overview(cli)
    const api = cli.api()
    if (flag(options, 'disconnect')) {
      await confirm(cli, options, `End the connection to ${slug}?`)
      await api.call('credentials.disconnect', { path: { provider: slug } })
      return { text: `Disconnected ${slug}`, json: { provider: slug, disconnected: true } }
    }
    const config = await configOf(cli, slug)
    const given = texts(options, 'field')
    if (given.some((pair) => !/^[^=]+=/.test(pair))) throw usage('--field takes key=value')
    return config.type === 'oauth' || config.type === 'mcp'
      ? connectInBrowser(cli, config)
      : connectWithKey(cli, config, given)
  },
}

export const connectCommands = [connect]
