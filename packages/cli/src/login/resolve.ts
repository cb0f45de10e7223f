// Which API a command speaks to, and with which credential. Pure: flags, environment and stored logins come in.
import { usage } from '../failures.ts'
import type { Login, StoredLogins } from './stored-logins.ts'

export const defaultApiUrl = 'http://127.0.0.1:7700'

export type Target = {
  readonly apiUrl: string
  readonly login: Login | null
  /** The credential is that of `MILLRACE_API_KEY`. */
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
  // A key in the environment is meant for this call, whatever is stored.
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

/** One spelling per server: no trailing slash, no query, no credentials. */
export const normalizeApiUrl = (text: string): string => {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) throw usage(`The API address must be http or https: ${text}`)
  if (url.username !== '' || url.password !== '') throw usage('The API address must not hold a password')
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}
