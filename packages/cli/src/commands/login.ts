// Signs in and out, and shows the current sign-in.
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
import { readAll } from '../shell.ts'
import { suggest } from '../suggest.ts'

/** The account and workspace of a credential, without the credential itself. */
const identityOf = (api: Api, me: Me) => ({
  api_url: api.url,
  login: api.login?.kind ?? null,
  user: { id: me.user.id, email: me.user.email, name: me.user.name },
  team: me.team ? { id: me.team.id, username: me.team.username, name: me.team.name } : null,
})

const accountLine = ({ user, team }: ReturnType<typeof identityOf>): string =>
  `${user.email || user.name || user.id}${team ? ` in ${team.username}` : ''}`

const keyFrom = async (cli: Cli, given: unknown): Promise<string> => {
  if (typeof given === 'string') return given
  const key = cli.shell.interactive ? await askSecret('API key') : (await readAll(cli.shell.stdin)).trim()
  if (key === '') throw usage('An API key is required', 'Pipe it to `millrace login --key`')
  return key
}

const tokenOf = (cli: Cli, credential: DeviceCredential | null): Login => {
  const token = credential?.session_token ?? credential?.api_key
  if (token === undefined)
    throw new CliFailure('The sign-in is not finished', {
      exitCode: exitCodes.refused,
      code: 'authorization_pending',
      hint: `Finish it within 5 minutes with \`${cli.command('login --code NNNNNN')}\``,
    })
  return loginOf(token, credential?.team_id ?? '')
}

/** The default scopes of a sign-in and the given ones. */
const scopesWith = (list: string): Scope[] => {
  const extra = list.split(',').map((scope) => scope.trim())
  for (const scope of extra) if (!isScope(scope)) throw usage(`Scope ${scope} not found`, suggest(scope, allScopes))
  const wanted = new Set<string>([...scopeCatalog.grants, ...extra])
  return allScopes.filter((scope) => wanted.has(scope))
}

const signIn = async (cli: Cli, options: Options): Promise<Login> => {
  if (options.key !== undefined) return loginOf(await keyFrom(cli, options.key), '')
  const api = createApi(cli.openApi().url, null)
  const code = text(options, 'code')
  if (code !== undefined) return tokenOf(cli, await finishClaim(api, cli.shell, code))
  const withBrowser = options.browser !== false && hasBrowser(cli.shell)
  const scopes = text(options, 'scopes')
  // A repeated sign-in stays in the current workspace.
  const teamId = cli.openApi().login?.team_id ?? ''
  const request = { teamId, ...(scopes === undefined ? {} : { scopes: scopesWith(scopes) }) }
  return tokenOf(cli, await (withBrowser ? signInByBrowser : signInByCode)(api, cli.shell, request))
}

const login: Command = {
  words: 'login',
  summary: 'Sign in through a browser, or with an API key',
  options: [
    ['--key [key]', 'sign in with an API key; without a value, read it from stdin'],
    ['--code <digits>', 'finish a sign-in with the six digits shown after approval'],
    ['--scopes <list>', 'also request these scopes, separated by commas'],
    ['--no-browser', 'print the address and prompt for the six digits instead of opening a browser'],
  ],
  example: 'millrace login\nmillrace login --api https://mill.example --key < key.txt',
  run: async (cli, _args, options) => {
    const signedIn = await signIn(cli, options)
    const { url } = cli.openApi()
    const api = createApi(url, signedIn)
    // Checked before it is stored, so that a rejected credential does not replace a working one.
    const answer = identityOf(api, await api.call('me.get'))
    await storeLogin(cli.shell, url, { ...signedIn, team_id: answer.team?.id ?? signedIn.team_id })
    cli.hint('', 'Next:', '  millrace app list', '  millrace app create my-app', '  millrace doctor')
    return { text: `Signed in to ${url} as ${accountLine(answer)}`, json: answer }
  },
}

const logout: Command = {
  words: 'logout',
  summary: 'Sign out: end the stored session, or remove the stored key',
  example: 'millrace logout',
  run: async (cli): Promise<Result> => {
    const api = cli.api()
    // The session belongs to this program and is revoked. A key may have other users and stays valid.
    const revoked = api.login?.kind === 'session'
    if (revoked) await createApi(api.url, null).call('oauth.revoke', { body: { token: api.login?.token ?? '' } })
    await forgetLogin(cli.shell, api.url)
    return { text: `Signed out of ${api.url}`, json: { api_url: api.url, revoked } }
  },
}

const whoami: Command = {
  words: 'whoami',
  summary: 'Show the account, workspace and server of this sign-in',
  options: [['--quiet', 'print only the name of the workspace']],
  example: 'millrace whoami --json',
  run: async (cli, _args, options) => {
    const api = cli.api()
    const answer = identityOf(api, await api.call('me.get'))
    const line = `${accountLine(answer)} on ${api.url} (${answer.login})`
    return { text: flag(options, 'quiet') ? (answer.team?.username ?? '') : line, json: answer }
  },
}

export const loginCommands = [login, logout, whoami]
