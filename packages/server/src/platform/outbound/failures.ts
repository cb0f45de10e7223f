// How an outgoing request ends badly. The public sentence names at most the host the user gave, never an address.
import { type Failure, fail, isFailure } from '../core/errors.ts'

const reasons = [
  'refused',
  'invalid',
  'not_found',
  'unreachable',
  'timeout',
  'too_large',
  'redirect',
  'bad_response',
] as const

export type OutboundReason = (typeof reasons)[number]

export const outboundFailure = (reason: OutboundReason, detail: string, cause?: unknown): Failure =>
  fail('validation_error', { detail, meta: { reason }, cause })

/** The failure of this client inside an error of a library that used it; libraries wrap what `fetch` throws. */
export const outboundFailureIn = (error: unknown): Failure | undefined => {
  if (isFailure(error, 'validation_error') && reasonOf(error)) return error
  return error instanceof Error && error.cause !== undefined ? outboundFailureIn(error.cause) : undefined
}

/** Why an outgoing request failed, for callers that try again on some of the reasons. */
export const outboundReason = (error: unknown): OutboundReason | undefined => {
  const failure = outboundFailureIn(error)
  return failure && reasonOf(failure)
}

const reasonOf = (failure: Failure): OutboundReason | undefined =>
  reasons.find((reason) => reason === failure.options.meta?.reason)

const timeoutCodes = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
])

// Of the HTTP parser, of zlib and of its brotli decoder.
const brokenReplyCode = /^(HPE_|Z_|ERR__ERROR_FORMAT)/

/** A socket's or resolver's error as a named failure; named failures pass unchanged. */
export const namedFailure = (error: unknown, host: string): Failure => {
  if (isFailure(error)) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (timeoutCodes.has(code)) return outboundFailure('timeout', `${host} did not answer in time`, error)
  if (brokenReplyCode.test(code)) return outboundFailure('bad_response', `${host} sent an unreadable answer`, error)
  return outboundFailure('unreachable', `${host} could not be reached`, error)
}

/** After a redirect only the first host may be named: the others were not the user's words. */
export const redirectFailure = (error: unknown, firstHost: string): unknown => {
  const reason = outboundReason(error)
  if (reason === undefined) return error
  const detail =
    reason === 'refused'
      ? `${firstHost} redirected to an address that is not allowed`
      : `${firstHost} redirected to an address that failed to answer`
  return outboundFailure(reason, detail, error)
}
