// Failures of outgoing requests. The public message contains at most the host given by the user, never an address.
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

/** The failure of this client inside a library's error, because libraries wrap errors of `fetch`. */
export const outboundFailureIn = (error: unknown): Failure | undefined => {
  if (isFailure(error, 'validation_error') && reasonOf(error)) return error
  return error instanceof Error && error.cause !== undefined ? outboundFailureIn(error.cause) : undefined
}

/** The reason of a failed request, for callers that retry some reasons. */
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

// Error codes of the HTTP parser, zlib and brotli.
const brokenReplyCode = /^(HPE_|Z_|ERR__ERROR_FORMAT)/

/** Converts an error of a socket or resolver; a named failure is returned unchanged. */
export const namedFailure = (error: unknown, host: string): Failure => {
  if (isFailure(error)) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (timeoutCodes.has(code)) return outboundFailure('timeout', `${host} did not respond in time`, error)
  if (brokenReplyCode.test(code)) return outboundFailure('bad_response', `${host} sent an invalid response`, error)
  return outboundFailure('unreachable', `${host} could not be reached`, error)
}

/** After a redirect, the message contains only the first host, because the user did not choose the others. */
export const redirectFailure = (error: unknown, firstHost: string): unknown => {
  const reason = outboundReason(error)
  if (reason === undefined) return error
  const detail =
    reason === 'refused'
      ? `${firstHost} redirected to an address that is not allowed`
      : `${firstHost} redirected to an address that did not respond`
  return outboundFailure(reason, detail, error)
}
