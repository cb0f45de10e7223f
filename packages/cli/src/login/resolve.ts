// Chooses the API and the credential of a command from flags, environment and stored sign-ins. Pure.
import { usage } from '../failures.ts'
import type { Login, StoredLogins } from './stored-logins.ts'

export const defaultApiUrl = 'http://127.0.0.1:7700'

export type Target = {
  readonly apiUrl: string
  readonly login: Login | null
  /** Whether the credential comes from `MILLRACE_API_KEY`. */
  readonly fromEnvironment: boolean
}

type Sources = {
  /** `--api`. */
  flag: string | undefined
  env: Readonly<Record<string, string | undefined>>
  stored: StoredLogins
}

export const resolveTarget = ({ flag, env, stored }: Sources): Target => {
  const apiUrl = normalizeApiUrl(flag ?? (env.MILLRACE_API_URL || undefined) ?? stored.current ?? defaultApiUrl)
  // A key in the environment overrides the stored sign-in.
  if (env.MILLRACE_API_KEY)
    return { apiUrl, login: loginOf(env.MILLRACE_API_KEY, env.MILLRACE_TEAM_ID ?? ''), fromEnvironment: true }
  const login = Object.hasOwn(stored.logins, apiUrl) ? (stored.logins[apiUrl] ?? null) : null
  return { apiUrl, login, fromEnvironment: false }
}

export const loginOf = (token: string, teamId: string): Login => ({
  kind: token.startsWith('sess_') ? 'session' : 'key',
  token,
  team_id: teamId,
})

/** One form per server: no trailing slash, query or credentials. */
export const normalizeApiUrl = (text: string): string => {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) throw usage(`The API address must be http or https: ${text}`)
  if (url.username !== '' || url.password !== '') throw usage('The API address must not contain a password')
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}
