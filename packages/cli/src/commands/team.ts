// Workspaces, and keys for scripts.
import { type Command, text } from '../command.ts'
import { CliFailure } from '../failures.ts'
import { storeLogin } from '../login/stored-logins.ts'

const list: Command = {
  words: 'team list',
  summary: 'List your workspaces; * marks the current one',
  example: 'millrace team list',
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
    return { text: cli.table(['', 'NAME', 'KIND', 'ROLE', 'TITLE'], rows), json }
  },
}

const use: Command = {
  words: 'team use <team>',
  summary: 'Work in another workspace from now on',
  example: 'millrace team use research',
  run: async (cli, [wanted = '']) => {
    const api = cli.api()
    const { login } = api
    if (login?.kind !== 'session')
      throw new CliFailure('A key is pinned to its workspace; sign in with `millrace login` to change it')
    const teams = await api.call('teams.list')
    const team = teams.find(({ id, short_id, username }) => [id, short_id, username].includes(wanted))
    if (!team) throw new CliFailure(`You are in no workspace ${wanted}`, { code: 'not_found' })
    await storeLogin(cli.shell, api.url, { ...login, team_id: team.id })
    return { text: `Working in ${team.username}`, json: { id: team.id, username: team.username } }
  },
}

const tokenMinutes = 15

const token: Command = {
  words: 'token',
  summary: `Print a key for scripts: for this workspace, for ${tokenMinutes} minutes`,
  options: [['--scopes <list>', 'only these scopes, separated by commas']],
  example: 'export MILLRACE_API_KEY=$(millrace token --scopes apps:read,apps:execute)',
  run: async (cli, _args, options) => {
    const { key, id, team_id, scopes, expires_at } = await cli.api().call('apikeys.create', {
      body: {
        name: 'millrace token',
        expires_at: new Date(cli.shell.now().getTime() + tokenMinutes * 60_000).toISOString(),
        scopes: text(options, 'scopes')?.split(','),
      },
    })
    return { text: key, json: { key, id, team_id, scopes, expires_at } }
  },
}

export const teamCommands = [list, use, token]
