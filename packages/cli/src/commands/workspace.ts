// Workspaces, and short-lived keys for scripts.
import type { Api } from '../api/client.ts'
import { type Command, type CommandOption, durationMs, text } from '../command.ts'
import { CliFailure } from '../failures.ts'
import { notFound } from '../find.ts'
import { storeLogin } from '../login/stored-logins.ts'
import { changesOf, deleteCommand, requireChange, showCommand } from '../resource.ts'
import { suggest } from '../suggest.ts'

const findWorkspace = async (api: Api, given: string) => {
  const teams = await api.call('teams.list')
  const team = teams.find(({ id, short_id, username }) => [id, short_id, username].includes(given))
  if (team) return team
  const usernames = teams.map(({ username }) => username)
  throw notFound('Workspace', given, suggest(given, usernames) || '`millrace workspace list` lists yours')
}

const list: Command = {
  words: 'workspace list',
  summary: 'List your workspaces; * marks the current one',
  example: 'millrace workspace list',
  run: async (cli) => {
    const api = cli.api()
    const teams = await api.call('teams.list')
    const rows = teams.map(({ id, username, type, role = '', name }) => [
      id === api.login?.team_id ? '*' : '',
      username,
      type,
      role,
      name,
    ])
    const json = teams.map((team) => ({ ...team, current: team.id === api.login?.team_id }))
    return { text: cli.table(['', 'WORKSPACE', 'TYPE', 'ROLE', 'NAME'], rows), json }
  },
}

const show = showCommand({
  noun: 'workspace',
  example: 'research',
  find: findWorkspace,
  rows: ({ id, username, name, type, role, email }) => [
    ['workspace', username],
    ['id', id],
    ['name', name],
    ['type', type],
    ['role', role],
    ['email', email],
  ],
})

const create: Command = {
  words: 'workspace create <workspace>',
  summary: 'Create a workspace that you own',
  options: [['--name <name>', 'display name (default: the name of the workspace)']],
  example: 'millrace workspace create research --name "Research"',
  run: async (cli, [username = ''], options) => {
    const body = { username, name: text(options, 'name') ?? username }
    const team = await cli.api().call('teams.create', { body })
    cli.hint(`Switch to it with \`${cli.command(`workspace use ${team.username}`)}\``)
    return { text: `Created ${team.username}`, json: team }
  },
}

const updateOptions: readonly CommandOption[] = [
  ['--name <name>', 'new display name'],
  ['--email <address>', 'new contact address'],
]

const update: Command = {
  words: 'workspace update <workspace>',
  summary: 'Change the display name or the contact address of a workspace',
  options: updateOptions,
  example: 'millrace workspace update research --name "Research lab"',
  run: async (cli, [given = ''], options) => {
    const api = cli.api()
    requireChange(options, updateOptions)
    const { id } = await findWorkspace(api, given)
    const team = await api.call('teams.update', {
      path: { id },
      body: changesOf(options, { name: 'name', email: 'email' }),
    })
    return { text: `Updated ${team.username}`, json: team }
  },
}

const remove = deleteCommand({
  noun: 'workspace',
  summary: 'Archive a workspace; its keys and invites end',
  example: 'research',
  find: async (api, given) => {
    const { id, username } = await findWorkspace(api, given)
    return { id, name: username }
  },
  remove: (api, { id }) => api.call('teams.archive', { path: { id } }),
})

const use: Command = {
  words: 'workspace use <workspace>',
  summary: 'Make a workspace the current one',
  example: 'millrace workspace use research',
  run: async (cli, [given = '']) => {
    const api = cli.api()
    const { login } = api
    if (login?.kind !== 'session')
      throw new CliFailure('An API key belongs to one workspace', {
        hint: `Sign in with \`${cli.command('login')}\` to switch between workspaces`,
      })
    const team = await findWorkspace(api, given)
    await storeLogin(cli.shell, api.url, { ...login, team_id: team.id })
    return { text: `The current workspace is ${team.username}`, json: { id: team.id, username: team.username } }
  },
}

const defaultTokenMs = 15 * 60_000

const token: Command = {
  words: 'token',
  summary: 'Print a short-lived API key of this workspace for scripts',
  options: [
    ['--scopes <list>', 'only these scopes, separated by commas'],
    ['--expires-in <duration>', 'such as 30m (default 15m)'],
  ],
  example: 'export MILLRACE_API_KEY=$(millrace token --scopes apps:read,apps:execute)',
  run: async (cli, _args, options) => {
    const ms = durationMs(options, 'expiresIn', { min: 1_000 }) ?? defaultTokenMs
    const { key, id, team_id, scopes, expires_at } = await cli.api().call('apikeys.create', {
      body: {
        name: 'millrace token',
        expires_at: new Date(cli.shell.now().getTime() + ms).toISOString(),
        scopes: text(options, 'scopes')?.split(','),
      },
    })
    return { text: key, json: { key, id, team_id, scopes, expires_at } }
  },
}

export const workspaceCommands = [list, show, create, update, remove, use, token]
