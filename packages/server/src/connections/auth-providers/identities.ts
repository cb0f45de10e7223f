// Finds the account that a token belongs to: a stable id and a display name. Each hook knows the format of one service;
// without a hook, two paths select values from the JSON at `userinfo_url`. Responses are untrusted: only strings and
// numbers are accepted.
import type { OAuth2Spec } from '@millrace/contract/auth-providers'
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'

export type AccountIdentity = { readonly identifier: string; readonly name: string }

export type IdentityRequest = { method?: 'GET' | 'POST'; body?: string }

export type IdentityInput = {
  readonly method: Pick<OAuth2Spec, 'userinfo_url' | 'userinfo_identifier_path' | 'userinfo_name_path'>
  /** The complete response of the token endpoint. */
  readonly answer: Readonly<Record<string, unknown>>
  /** Requests JSON with the token, through the guarded client. */
  readonly ask: (address: string, request?: IdentityRequest) => Promise<unknown>
}

const noIdentity: AccountIdentity = { identifier: '', name: '' }

const maxLength = 256

export const textAt = (value: unknown, path: string): string => {
  let at = value
  for (const part of path.split('.')) {
    if (at === null || typeof at !== 'object') return ''
    at = (at as Record<string, unknown>)[part]
  }
  return typeof at === 'string' || typeof at === 'number' ? String(at).slice(0, maxLength) : ''
}

const firstOf = (value: unknown, ...paths: string[]): string =>
  paths.map((path) => textAt(value, path)).find((text) => text !== '') ?? ''

/**
 * The claims of an ID token. The token came directly from the token endpoint over TLS, so no signature check is needed.
 */
const claimsOf = (token: unknown): unknown => {
  if (typeof token !== 'string') return {}
  try {
    return parseUntrustedJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  } catch {
    return {}
  }
}

const nameClaims = ['name', 'preferred_username', 'email', 'sub'] as const

type Hook = (input: IdentityInput) => Promise<AccountIdentity>

const hooks: Readonly<Record<string, Hook>> = {
  atlassian: async ({ method, ask }) => {
    const sites = await ask(method.userinfo_url ?? 'https://api.atlassian.com/oauth/token/accessible-resources')
    return { identifier: textAt(sites, '0.id'), name: firstOf(sites, '0.name', '0.url') }
  },
  dropbox: async ({ method, ask }) => {
    const address = method.userinfo_url ?? 'https://api.dropboxapi.com/2/users/get_current_account'
    const account = await ask(address, { method: 'POST', body: 'null' })
    return { identifier: textAt(account, 'account_id'), name: firstOf(account, 'email', 'name.display_name') }
  },
  github: async ({ method, ask }) => {
    const user = await ask(method.userinfo_url ?? 'https://api.github.com/user')
    return { identifier: textAt(user, 'id'), name: firstOf(user, 'login', 'name') }
  },
  id_token: async ({ answer }) => {
    const claims = claimsOf(answer.id_token)
    return { identifier: textAt(claims, 'sub'), name: firstOf(claims, ...nameClaims) }
  },
  linear: async ({ method, ask }) => {
    const body = JSON.stringify({ query: '{ viewer { id name email } }' })
    const reply = await ask(method.userinfo_url ?? 'https://api.linear.app/graphql', { method: 'POST', body })
    return {
      identifier: textAt(reply, 'data.viewer.id'),
      name: firstOf(reply, 'data.viewer.email', 'data.viewer.name'),
    }
  },
  notion: async ({ answer }) => ({
    identifier: firstOf(answer, 'workspace_id', 'bot_id'),
    name: firstOf(answer, 'workspace_name', 'owner.user.name'),
  }),
  oidc_userinfo: async ({ method, ask }) => {
    if (method.userinfo_url === undefined) return noIdentity
    const claims = await ask(method.userinfo_url)
    return { identifier: textAt(claims, 'sub'), name: firstOf(claims, ...nameClaims) }
  },
  salesforce: async ({ answer }) => {
    // `id` is the URL of the identity: …/id/<organization>/<user>.
    const address = textAt(answer, 'id')
    const instance = textAt(answer, 'instance_url')
    const name = URL.canParse(instance) ? new URL(instance).hostname : ''
    return { identifier: address.split('/').slice(-2).join('/'), name }
  },
  slack_team: async ({ answer }) => ({
    identifier: firstOf(answer, 'team.id', 'enterprise.id'),
    name: firstOf(answer, 'team.name', 'enterprise.name'),
  }),
}

export const identityHooks: readonly string[] = Object.keys(hooks)

const fromUserinfo: Hook = async ({ method, ask }) => {
  if (method.userinfo_url === undefined) return noIdentity
  const info = await ask(method.userinfo_url)
  const identifier = method.userinfo_identifier_path
    ? textAt(info, method.userinfo_identifier_path)
    : firstOf(info, 'sub', 'id')
  const name = method.userinfo_name_path ? textAt(info, method.userinfo_name_path) : firstOf(info, ...nameClaims)
  return { identifier, name: name || identifier }
}

export const readIdentity = (hook: string | undefined, input: IdentityInput): Promise<AccountIdentity> =>
  ((hook === undefined ? undefined : hooks[hook]) ?? fromUserinfo)(input)
