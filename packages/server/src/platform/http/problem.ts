// Sends failures as application/problem+json. An unexpected error becomes `internal_error`: the log gets the details,
// the client one sentence.
import type { Duplex } from 'node:stream'
import { type ErrorCode, errorTable } from '@millrace/contract/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Failure, fail } from '../core/errors.ts'
import { isDatabaseUnavailable } from '../db/unavailable.ts'
import { escapeHtml, page, pageHeaders } from './html.ts'
import { afterRestOfBody } from './rest-of-body.ts'

export const problemBody = (failure: Failure, baseUrl: string) => ({
  type: `${baseUrl}/errors/${failure.code}`,
  title: errorTable[failure.code].title,
  status: failure.status,
  detail: failure.message,
  ...(failure.options.meta ? { meta: failure.options.meta } : {}),
  ...failure.options.extra,
})

/** The framework's code for a body above the limit of its route. */
const bodyTooLarge = 'FST_ERR_CTP_BODY_TOO_LARGE'

/** Converts an error of the framework, the database or the request to a `Failure`. */
export const toFailure = (error: unknown): Failure => {
  if (error instanceof Failure) return error
  const { code, statusCode } = error as { code?: string; statusCode?: number }
  if (code === bodyTooLarge) return fail('payload_too_large')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return fail('unsupported_media_type', 'Send the body as application/json')
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return fail('invalid_request', { detail: 'The request could not be read', cause: error })
  // SQLSTATE class 22: a value that no column can store. Schemas catch almost all of them earlier.
  if (typeof code === 'string' && /^22[0-9A-Z]{3}$/.test(code))
    return fail('validation_error', { detail: 'A value is out of range', cause: error })
  if (typeof code === 'string' && diskFull.has(code))
    return fail('storage_full', {
      detail: 'The disk of the server is full; its operator must free space',
      cause: error,
    })
  if (code === statementTimedOut)
    return fail('unavailable', {
      detail: 'The database query took too long; request less data or try again',
      cause: error,
    })
  if (isDatabaseUnavailable(error))
    return fail('unavailable', { detail: 'The database is not reachable; try again', cause: error })
  return fail('internal_error', { detail: 'Something went wrong on the server', cause: error })
}

/** For routes where a body that is too large counts as invalid. */
export const tooLargeToRead = (error: unknown): unknown =>
  [bodyTooLarge, 'payload_too_large'].includes((error as { code?: string }).code ?? '')
    ? fail('invalid_request', 'The body is too large')
    : error

/** Error codes of the file system, and the SQLSTATE of PostgreSQL. */
const diskFull = new Set(['ENOSPC', 'EDQUOT', '53100'])

/** SQLSTATE of a statement that exceeded its time limit. */
const statementTimedOut = '57014'

/** The limit in the message is that of the route. */
export const namedBy = ({ routeOptions }: FastifyRequest, error: unknown): Failure =>
  (error as { code?: string }).code === bodyTooLarge && routeOptions.bodyLimit !== undefined
    ? fail('payload_too_large', `The body must not exceed ${routeOptions.bodyLimit} bytes`)
    : toFailure(error)

export const sendProblem = (error: unknown, request: FastifyRequest, reply: FastifyReply, baseUrl: string): void => {
  const failure = namedBy(request, error)
  if (failure.code === 'internal_error') request.log.error({ err: failure.cause ?? failure }, 'request failed')
  else if (failure.cause !== undefined)
    // Client errors are logged at debug level, so that strangers cannot fill the log.
    request.log[failure.status < 500 ? 'debug' : 'warn']({ err: failure.cause, code: failure.code }, 'request refused')
  if (failure.options.headers) reply.headers(failure.options.headers)
  const send = () => {
    reply.header('vary', 'Origin, Accept')
    if (isBrowsing(request))
      return void reply.code(failure.status).headers(pageHeaders).serializer(String).send(problemPage(failure))
    reply
      .code(failure.status)
      .type('application/problem+json')
      .serializer(String)
      .send(JSON.stringify(problemBody(failure, baseUrl)))
  }
  if (failure.code === 'payload_too_large') afterRestOfBody(request.raw, send)
  else send()
}

/** True for browsers: programs accept anything, or accept JSON with at least the same weight. */
const isBrowsing = ({ method, headers }: FastifyRequest): boolean => {
  if (method !== 'GET' || headers.accept === undefined) return false
  const wanted = headers.accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    return { type, weight: weight === undefined ? 1 : Number(weight) || 0 }
  })
  const ofHtml = wanted.find(({ type }) => type === 'text/html')?.weight ?? 0
  const ofJson = wanted.find(({ type }) => /^application\/(.+\+)?json$/.test(type))?.weight ?? 0
  return ofHtml > ofJson
}

const problemPage = (failure: Failure): string =>
  page(
    errorTable[failure.code].title,
    `<h1>${escapeHtml(errorTable[failure.code].title)}</h1><p role="alert">${escapeHtml(failure.message)}</p>
<p class="muted">${failure.status} · <a href="/errors/${failure.code}"><code>${failure.code}</code></a></p>
<p><a href="/">Home</a> · <a href="/docs">API reference</a></p>`,
  )

/** For bytes that are not an HTTP request. There is no reply object, so the response is written to the socket. */
export const refuseUnreadable = (error: { code?: string }, socket: Duplex, baseUrl: string): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  // Browsers open connections in advance. A response on an unused one would be taken as the response to the next
  // request; a closed connection is simply opened again.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return void socket.destroy()
  const detail =
    error.code === 'HPE_HEADER_OVERFLOW' ? 'The headers of the request are too large' : 'This is not an HTTP request'
  const body = JSON.stringify(problemBody(fail('invalid_request', detail), baseUrl))
  const head = `HTTP/1.1 400 Bad Request\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}`
  socket.end(`${head}\r\nConnection: close\r\n\r\n${body}`)
}

// Error names of RFC 6749 and RFC 8628; every other failure is `invalid_request` with our sentence.
const oauthErrors: Partial<Record<ErrorCode, string>> = {
  authorization_pending: 'authorization_pending',
  slow_down: 'slow_down',
  access_denied: 'access_denied',
  expired_token: 'expired_token',
  invalid_grant: 'invalid_grant',
  invalid_redirect_uri: 'invalid_redirect_uri',
  unsupported_grant_type: 'unsupported_grant_type',
  rate_limited: 'slow_down',
  unauthorized: 'invalid_client',
  internal_error: 'server_error',
}

export const sendOauthError = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
  const failure = toFailure(error)
  if (failure.code === 'internal_error') request.log.error({ err: failure.cause ?? failure }, 'request failed')
  const body = { error: oauthErrors[failure.code] ?? 'invalid_request', error_description: failure.message }
  if (failure.options.headers) reply.headers(failure.options.headers)
  reply
    .code(failure.status >= 500 ? failure.status : failure.status === 401 ? 401 : 400)
    .header('cache-control', 'no-store')
    .type('application/json')
    .serializer(String)
    .send(JSON.stringify(body))
}
