// Parses request bodies: JSON (an empty body is {}), forms for OAuth routes, and a check for text that PostgreSQL
// cannot store.
import { isUtf8 } from 'node:buffer'
import { findInexactNumber, inexactInWords } from '@millrace/contract/exact-numbers'
import {
  maxFormBytes,
  parseUntrustedForm,
  parseUntrustedJson,
  UntrustedInputError,
} from '@millrace/contract/parse-untrusted'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isMember } from '../core/actor.ts'
import { fail } from '../core/errors.ts'
import { assertStorable } from '../core/storable.ts'
import { endSlowBody } from './connections.ts'
import { createOpenBodies } from './open-bodies.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route reads the stream itself, with any content type, and has its own limits for size and speed. */
    takesStream?: true
    /** The route reads all bytes, with any content type. */
    takesBytes?: true
    /** The route accepts `application/x-www-form-urlencoded`. */
    takesForm?: true
  }
  interface FastifyInstance {
    /** Counts a body without a content-length after it was read. */
    countUnsized(request: FastifyRequest, bytes: number): void
  }
}

export const jsonBodyLimitBytes = 10 * 1024 * 1024

/** Parsing a larger body takes long enough to wait for its turn. */
const turnAboveBytes = 64 * 1024

/** For requests without a credential, so that strangers cannot use up memory and time with large bodies. */
export const guestBodyLimitBytes = 1024 * 1024

const refuseLargeFromGuest = ({ ctx }: FastifyRequest, bytes: number): void => {
  if (bytes > guestBodyLimitBytes && !(ctx && isMember(ctx.actor)))
    throw fail('payload_too_large', `A request without a credential must not exceed ${guestBodyLimitBytes} bytes`)
}

// Case-insensitive, as the lookup of content type parsers.
const isParsed = /^application\/(?:(?:[\w.+-]+\+)?json|x-www-form-urlencoded)/i

/** Bodies that are buffered completely have their size checked first. */
const isBuffered = ({ headers, routeOptions: { config } }: FastifyRequest): boolean => {
  if (config.takesStream) return false
  return config.takesBytes === true || isParsed.test(headers['content-type'] ?? '')
}

const isForm = ({ headers }: FastifyRequest): boolean =>
  headers['content-type']?.toLowerCase().startsWith('application/x-www-form-urlencoded') === true

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Runs before the body is read. Unknown routes still respond with 404. */
const refuseForm = (request: FastifyRequest): void => {
  if (!isForm(request) || !hasBody(request) || request.is404) return
  const { takesForm, takesBytes, takesStream } = request.routeOptions.config
  if (takesBytes || takesStream || request.method === 'GET' || request.method === 'HEAD') return
  if (!takesForm) throw fail('unsupported_media_type', 'Send the body as application/json')
  if (Number(request.headers['content-length'] ?? 0) > maxFormBytes)
    throw fail('payload_too_large', `A form must not exceed ${maxFormBytes} bytes`)
}

const suspicious = /\\u0000|\\u[dD][89a-fA-F]|__proto__/

export const parseJson = (bytes: Buffer): unknown => {
  const text = textOf(bytes)
  if (text.trim() === '') return {}
  const value = parse(bytes)
  assertStorableJson(text, value)
  assertExact(text)
  return value
}

/** `value` is the parsed `text`. The regular expression avoids the walk for most texts. */
export const assertStorableJson = (text: string, value: unknown): void => {
  if (suspicious.test(text)) assertStorable(value)
}

const assertExact = (text: string): void => {
  const inexact = findInexactNumber(text)
  if (inexact === null) return
  throw fail('validation_error', { detail: inexactInWords(inexact), meta: { field: inexact.path } })
}

const parse = (bytes: Buffer): unknown => {
  try {
    return parseUntrustedJson(bytes)
  } catch (error) {
    if (!(error instanceof UntrustedInputError)) throw error
    throw fail('invalid_request', error.isExcess ? `The JSON ${error.problem}` : 'The body is not valid JSON')
  }
}

const parseForm = (text: string): Record<string, string> => {
  try {
    const fields = parseUntrustedForm(text)
    assertStorable(fields)
    return fields
  } catch (error) {
    throw error instanceof UntrustedInputError ? fail('invalid_request', `The form ${error.problem}`) : error
  }
}

/** Decoding invalid UTF-8 would silently store replacement characters. */
const textOf = (bytes: Buffer): string => {
  if (!isUtf8(bytes)) throw fail('invalid_request', 'The body must be UTF-8')
  return bytes.toString('utf8')
}

/** Runs work in the turn of a request's caller. */
export type TurnOf = <T>(request: FastifyRequest, work: () => Promise<T>) => Promise<T>

export const registerBodyParsers = (app: FastifyInstance, turn: TurnOf): void => {
  app.removeAllContentTypeParsers()
  const countOpen = createOpenBodies()
  app.decorateRequest('uncountBody', () => {})
  // For every route: the body counts until the response begins.
  app.addHook('onSend', (request, _reply, _payload, done) => {
    request.uncountBody()
    done()
  })
  /** Requests without a content-length; their size is known once they are read. */
  const unsized = new WeakMap<FastifyRequest, FastifyReply>()
  app.decorate('countUnsized', (request: FastifyRequest, bytes: number) => {
    const reply = unsized.get(request)
    if (reply) countOpen(request, reply, bytes)
  })
  // With a content-length, a body that is too large is refused unread.
  app.addHook('preParsing', (request, reply, _payload, done) => {
    try {
      refuseForm(request)
      const { 'content-length': length = '0' } = request.headers
      if (isBuffered(request)) {
        refuseLargeFromGuest(request, Number(length))
        if (request.headers['transfer-encoding'] === undefined) countOpen(request, reply, Number(length))
        else unsized.set(request, reply)
        endSlowBody(request.raw)
      }
      done()
    } catch (error) {
      done(error as Error)
    }
  })
  app.addContentTypeParser<Buffer>(
    /^application\/(?:[\w.+-]+\+)?json/,
    { parseAs: 'buffer' },
    (request, bytes, done) => {
      try {
        refuseLargeFromGuest(request, bytes.length)
        app.countUnsized(request, bytes.length)
        if (bytes.length <= turnAboveBytes) return done(null, parseJson(bytes))
        turn(request, async () => parseJson(bytes)).then((value) => done(null, value), done)
      } catch (error) {
        done(error as Error)
      }
    },
  )
  app.addContentTypeParser<string>(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (request, text, done) => {
      try {
        app.countUnsized(request, text.length)
        done(null, request.is404 ? {} : parseForm(text))
      } catch (error) {
        done(error as Error)
      }
    },
  )
}

/** For routes that need the raw bytes, for example to verify a signature. */
export const registerBytesParser = (scope: FastifyInstance): void => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      scope.countUnsized(request, bytes.length)
      done(null, bytes)
    } catch (error) {
      done(error as Error)
    }
  })
}
