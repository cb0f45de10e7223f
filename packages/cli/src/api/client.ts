// The client of the API: sends the credential, unwraps responses and throws refusals as failures.
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
  /** Calls an operation and returns the data of its response. */
  readonly call: Call
  /** Opens a response to read it line by line. */
  open(request: ApiRequest): Promise<Response>
  /** The data of an opened response that is not a stream. */
  dataIn(request: ApiRequest, response: Response): Promise<unknown>
}

export type ApiHooks = {
  onNotice?(notice: Notice): void
  /** Returns another token to retry a refused call with, or throws. */
  onRefusal?(failure: CliFailure): Promise<string>
}

/** Streams as lines, other responses as plain JSON. */
const lines = 'application/x-ndjson, application/json'
const product = `millrace-cli/${version}`
const userAgent = `${product} (${platform()} ${release()}; ${arch()})`

/** Only a session selects a workspace. A key belongs to one. */
export const credentialHeaders = (login: Login | null): Record<string, string> => ({
  ...(login ? { authorization: `Bearer ${login.token}` } : {}),
  ...(login?.kind === 'session' && login.team_id !== '' ? { 'x-team-id': login.team_id } : {}),
})

export const createApi = (url: string, login: Login | null, { onNotice, onRefusal }: ApiHooks = {}): Api => {
  const attempt = async (request: ApiRequest, accept: string, as: Login | null): Promise<Response> => {
    const response = await fetch(`${url}${request.path}`, {
      method: request.method,
      signal: request.signal ?? null,
      // The API never redirects. Following a redirect could send the credential to another host.
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
    const response = await attempt(request, accept, login).catch(async (error: unknown) => {
      if (!(error instanceof CliFailure) || !onRefusal) throw error
      const token = await onRefusal(error)
      return attempt(request, accept, login && { ...login, token })
    })
    if (onNotice) noticesOfHeaders(response.headers).forEach(onNotice)
    return response
  }
  const dataIn = async (request: ApiRequest, response: Response): Promise<unknown> => {
    const text = await response.text()
    if (text === '') return null
    const json: unknown = JSON.parse(text)
    if (onNotice) noticesOf(request, json).forEach(onNotice)
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
