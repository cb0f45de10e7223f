// The API as this program sees it: calls with a credential, the envelope taken off, refusals as failures.
import { arch, platform, release } from 'node:os'
import { type ApiRequest, type Call, createCall, dataOf, noticesOf } from '@millrace/contract/call'
import type { Notice } from '@millrace/contract/common'
import { exitCodes } from '../exit-codes.ts'
import { CliFailure } from '../failures.ts'
import type { Login } from '../login/stored-logins.ts'
import { version } from '../version.ts'
import { noticesOfHeaders } from './notices.ts'
import { toFailure } from './problem.ts'

export type Api = {
  readonly url: string
  readonly login: Login | null
  /** An operation by its name; the answer without its envelope. */
  readonly call: Call
  /** An answer that is read as it comes, one JSON document per line; not read yet. */
  open(request: ApiRequest): Promise<Response>
  /** What is in an answer that was opened and turned out to be whole. */
  dataIn(request: ApiRequest, response: Response): Promise<unknown>
}

export type Surroundings = {
  /** Hears what the server says beside its answers. */
  tell?(notice: Notice): void
  /** Another token to try a refused call with; throws what is said where there is none. */
  onRefusal?(failure: CliFailure): Promise<string>
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

export const createApi = (url: string, login: Login | null, { tell, onRefusal }: Surroundings = {}): Api => {
  const ask = async (request: ApiRequest, accept: string, as: Login | null): Promise<Response> => {
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
        ...(request.ifMatch === undefined ? {} : { 'if-match': `"${request.ifMatch}"` }),
        ...credentialHeaders(as),
      },
    }).catch((error: unknown) => {
      throw unreachable(url, error)
    })
    if (!response.ok) throw toFailure(response.status, await response.text())
    return response
  }
  const send = async (request: ApiRequest, accept: string): Promise<Response> => {
    const response = await ask(request, accept, login).catch(async (error: unknown) => {
      if (!(error instanceof CliFailure) || !onRefusal) throw error
      const token = await onRefusal(error)
      return ask(request, accept, login && { ...login, token })
    })
    if (tell) noticesOfHeaders(response.headers).forEach(tell)
    return response
  }
  const dataIn = async (request: ApiRequest, response: Response): Promise<unknown> => {
    const text = await response.text()
    if (text === '') return null
    const json: unknown = JSON.parse(text)
    if (tell) noticesOf(request, json).forEach(tell)
    return dataOf(request, json)
  }
  return {
    url,
    login,
    call: createCall(async (request) => dataIn(request, await send(request, 'application/json'))),
    open: (request) => send(request, lines),
    dataIn,
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
