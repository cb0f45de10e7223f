// Signing in and out, and who one is.
import type { DeviceCredential } from '@millrace/contract/device'
import type { Me } from '@millrace/contract/identity'
import { allScopes, isScope, type Scope, scopeCatalog } from '@millrace/contract/scopes'
import { type Api, createApi } from '../api/client.ts'
import { type Cli, type Command, flag, type Options, type Result, text } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { CliFailure, usage } from '../failures.ts'
import { askSecret } from '../login/ask.ts'
import { finishClaim, hasBrowser, signInByBrowser, signInByCode } from '../login/device.ts'
import { loginOf } from '../login/resolve.ts'
import { forgetLogin, type Login, storeLogin } from '../login/stored-logins.ts'
import { meant } from '../near.ts'
import { readAll } from '../shell.ts'

/** Who a credential belongs to and where. Never holds the credential itself. */
const standing = (api: Api, me: Me) => ({
  api_url: api.url,
  login: api.login?.kind ?? null,
  user: { id: me.user.id, email: me.user.email, name: me.user.name },
  team: me.team ? { id: me.team.id, username: me.team.username, name: me.team.name } : null,
})

const who = ({ user, team }: ReturnType<typeof standing>): string =>
  `${user.email || user.name || user.id}${team ? ` in ${team.username}` : ''}`

const keyFrom = async (cli: Cli, given: unknown): Promise<string> => {
  if (typeof given === 'string') return given
  const key = cli.shell.interactive ? await askSecret('API key') : (await readAll(cli.shell.stdin)).trim()
  if (key === '') throw usage('No key was given; pipe it to `millrace login --key`')
  return key
}

const tokenOf = (cli: Cli, credential: DeviceCredential | null): Login => {
  const token = credential?.session_token ?? credential?.api_key
  if (token === undefined)
    throw new CliFailure(
      `Not signed in yet: finish with \`${cli.command('login --code NNNNNN')}\` within five minutes`,
      {
        exitCode: exitCodes.refused,
        code: 'authorization_pending',
      },
    )
  return loginOf(token, credential?.team_id ?? '')
}

/** What signing in usually gives, and these. */
const scopesWith = (list: string): Scope[] => {
  const asked = list.split(',').map((scope) => scope.trim())
  for (const scope of asked) if (!isScope(scope)) throw usage(`There is no scope ${scope}.${meant(scope, allScopes)}`)
  const wanted = new Set<string>([...scopeCatalog.grants, ...asked])
  return allScopes.filter((scope) => wanted.has(scope))
}

const signIn = async (cli: Cli, options: Options): Promise<Login> => {
  if (options.key !== undefined) return loginOf(await keyFrom(cli, options.key), '')
  const api = createApi(cli.openApi().url, null)
  const code = text(options, 'code')
  if (code !== undefined) return tokenOf(cli, await finishClaim(api, cli.shell, code))
  const withBrowser = options.browser !== false && hasBrowser(cli.shell)
  const scopes = text(options, 'scopes')
  // Signing in again goes on in the workspace that was worked in.
  const teamId = cli.openApi().login?.team_id ?? ''
  const wish = { teamId, ...(scopes === undefined ? {} : { scopes: scopesWith(scopes) }) }
  return tokenOf(cli, await (withBrowser ? signInByBrowser : signInByCode)(api, cli.shell, wish))
}

const login: Command = {
  words: 'login',
  summary: 'Sign in through a browser, or with an API key',
  options: [
    ['--key [key]', 'store an API key, pinned to its workspace; without a value it is read from stdin'],
    ['--code <digits>', 'finish a sign-in with the six digits shown after approval'],
    ['--scopes <list>', 'hold these scopes too, separated by commas'],
    ['--no-browser', 'print the address and take the six digits instead of opening a browser'],
  ],
  example: 'millrace login\nmillrace login --api https://mill.example --key < key.txt',
  run: async (cli, _args, options) => {
    const signedIn = await signIn(cli, options)
    const { url } = cli.openApi()
    const api = createApi(url, signedIn)
    // Asked before it is stored: a credential the server refuses must not replace one that works.
    const answer = standing(api, await api.call('me.get'))
    await storeLogin(cli.shell, url, { ...signedIn, team_id: answer.team?.id ?? signedIn.team_id })
    cli.hint('', 'Next:', '  millrace app list', '  millrace app init my-app', '  millrace doctor')
    return { text: `Signed in to ${url} as ${who(answer)}`, json: answer }
  },
}

const logout: Command = {
  words: 'logout',
  summary: 'End the stored session, or forget the stored key',
  example: 'millrace logout',
  run: async (cli): Promise<Result> => {
    const api = cli.api()
    // A session is this program's own and ends with it; a key may be in use elsewhere.
    const revoked = api.login?.kind === 'session'
    if (revoked) await createApi(api.url, null).call('oauth.revoke', { body: { token: api.login?.token ?? '' } })
    await forgetLogin(cli.shell, api.url)
    return { text: `Signed out of ${api.url}`, json: { api_url: api.url, revoked } }
  },
}

const whoami: Command = {
  words: 'whoami',
  summary: 'Show account, workspace and server of this sign-in',
  options: [['--quiet', 'print the name of the workspace alone']],
  example: 'millrace whoami --json',
  run: async (cli, _args, options) => {
    const api = cli.api()
    const answer = standing(api, await api.call('me.get'))
    const line = `${who(answer)} on ${api.url} (${answer.login})`
    return { text: flag(options, 'quiet') ? (answer.team?.username ?? '') : line, json: answer }
  },
}

export const loginCommands = [login, logout, whoami]
