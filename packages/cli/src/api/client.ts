// The API as this program sees it: calls with a credential, the envelope taken off, refusals as failures.
import { arch, platform, release } from 'node:os'
import { type ApiRequest, type Call, createCall, dataOf } from '@millrace/contract/call'
import { exitCodes } from '../exit-codes.ts'
import { CliFailure } from '../failures.ts'
import type { Login } from '../login/stored-logins.ts'
import { version } from '../version.ts'
import { toFailure } from './problem.ts'

export type Api = {
  readonly url: string
  readonly login: Login | null
  /** An operation by its name; the answer without its envelope. */
  readonly call: Call
  /** An answer that is read as it comes, one JSON document per line; not read yet. */
  open(request: ApiRequest): Promise<Response>
}

/** Lines where the answer goes on, plain JSON where it does not. */
const lines = 'application/x-ndjson, application/json'
const product = `millrace-cli/${version}`
const userAgent = `${product} (${platform()} ${release()}; ${arch()})`

/** Only a session chooses its workspace; a key is pinned to one. */
export const credentialHeaders = (login: Login | null): Record<string, string> => ({
  ...(login ? { authorization: `Bearer ${login.token}` } : {}),
  ...(login?.kind === 'session' && login.team_id !== '' ? { 'x-team-id': login.team_id } : {}),
})

export const makeApi = (url: string, login: Login | null): Api => {
  const send = async (request: ApiRequest, accept: string): Promise<Response> => {
    const response = await fetch(`${url}${request.path}`, {
      method: request.method,
      signal: request.signal ?? null,
      // The API answers where it is asked; a redirect could only carry the credential elsewhere.
      redirect: 'manual',
      ...bodyOf(request),
      headers: {
        'user-agent': userAgent,
        'x-client-source': product,
        accept,
        ...(request.encoding === 'json' ? { 'content-type': 'application/json' } : {}),
        ...(request.idempotencyKey === undefined ? {} : { 'idempotency-key': request.idempotencyKey }),
        ...credentialHeaders(login),
      },
    }).catch((error: unknown) => {
      throw unreachable(url, error)
    })
    if (!response.ok) throw toFailure(response.status, await response.text())
    return response
  }
  return {
    url,
    login,
    call: createCall(async (request) => {
      const text = await (await send(request, 'application/json')).text()
      return text === '' ? null : dataOf(request, JSON.parse(text))
    }),
    open: (request) => send(request, lines),
  }
}

const bodyOf = ({ encoding, body }: ApiRequest): Pick<RequestInit, 'body'> => {
  if (encoding === null) return {}
  if (encoding === 'json') return { body: JSON.stringify(body) }
  return { body: encoding === 'form' ? new URLSearchParams(body as Record<string, string>) : (body as Uint8Array) }
}

const unreachable = (url: string, error: unknown): CliFailure => {
  if (error instanceof Error && error.name === 'AbortError') throw error
  const { cause } = error as { cause?: { code?: string; message?: string } }
  const reason = cause?.code ?? cause?.message ?? (error instanceof Error ? error.message : 'no answer')
  return new CliFailure(`No answer from ${url} (${reason})`, { exitCode: exitCodes.unavailable, code: 'unreachable' })
}
