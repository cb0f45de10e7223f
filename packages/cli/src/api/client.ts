// The API as this program sees it: calls with a credential, the envelope taken off, refusals as failures.
import { arch, platform, release } from 'node:os'
import { exitCodes } from '../exit-codes.ts'
import { CliFailure } from '../failures.ts'
import type { Login } from '../login/stored-logins.ts'
import { version } from '../version.ts'
import { toFailure } from './problem.ts'

export type Api = {
  readonly url: string
  readonly login: Login | null
  get<T>(path: string): Promise<T>
  post<T>(path: string, body?: object): Promise<T>
  put<T>(path: string): Promise<T>
  /** An OAuth form; the answer, if any, has no envelope. */
  postForm(path: string, fields: Record<string, string>): Promise<void>
  /** A stream of lines, not read yet; with a body it is asked for by a POST. */
  open(path: string, signal: AbortSignal, body?: object): Promise<Response>
}

const lines = 'application/x-ndjson'
const product = `millrace-cli/${version}`
const userAgent = `${product} (${platform()} ${release()}; ${arch()})`

/** Only a session chooses its workspace; a key is pinned to one. */
export const credentialHeaders = (login: Login | null): Record<string, string> => ({
  ...(login ? { authorization: `Bearer ${login.token}` } : {}),
  ...(login?.kind === 'session' && login.team_id !== '' ? { 'x-team-id': login.team_id } : {}),
})

export const makeApi = (url: string, login: Login | null): Api => {
  const send = async (method: string, path: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(`${url}${path}`, {
      ...init,
      method,
      // The API answers where it is asked; a redirect could only carry the credential elsewhere.
      redirect: 'manual',
      headers: {
        'user-agent': userAgent,
        'x-client-source': product,
        ...credentialHeaders(login),
        ...(init.headers as Record<string, string>),
      },
    }).catch((error: unknown) => {
      throw unreachable(url, error)
    })
    if (!response.ok) throw toFailure(response.status, await response.text())
    return response
  }
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await send(method, path, {
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return unwrap(text) as T
  }
  return {
    url,
    login,
    get: (path) => call('GET', path),
    post: (path, body = {}) => call('POST', path, body),
    put: (path) => call('PUT', path, {}),
    postForm: async (path, fields) => {
      await send('POST', path, { body: new URLSearchParams(fields) })
    },
    open: (path, signal, body) =>
      body === undefined
        ? send('GET', path, { signal, headers: { accept: lines } })
        : send('POST', path, {
            signal,
            headers: { accept: lines, 'content-type': 'application/json' },
            body: JSON.stringify(body),
          }),
  }
}

const unwrap = (text: string): unknown => {
  if (text === '') return null
  const body: unknown = JSON.parse(text)
  return typeof body === 'object' && body !== null && 'data' in body ? body.data : body
}

const unreachable = (url: string, error: unknown): CliFailure => {
  if (error instanceof Error && error.name === 'AbortError') throw error
  const { cause } = error as { cause?: { code?: string; message?: string } }
  const reason = cause?.code ?? cause?.message ?? (error instanceof Error ? error.message : 'no answer')
  return new CliFailure(`No answer from ${url} (${reason})`, { exitCode: exitCodes.unavailable, code: 'unreachable' })
}
