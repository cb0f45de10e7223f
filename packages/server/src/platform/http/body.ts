// How request bytes become values: JSON with an empty body read as {}, forms for the OAuth doors, and text that
// PostgreSQL could not store refused here once, instead of in every feature.
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
    /** The route reads the stream as it comes, whatever type it claims, and has bounds of its own for how large and how slow. */
    takesStream?: true
    /** The route reads the bytes whole, whatever type they claim. */
    takesBytes?: true
    /** The route accepts `application/x-www-form-urlencoded`. */
    takesForm?: true
  }
  interface FastifyInstance {
    /** Counts a body that did not say how large it is, once it is read. */
    countUnsized(request: FastifyRequest, bytes: number): void
  }
}

export const jsonBodyLimitBytes = 10 * 1024 * 1024

/** Of somebody who has not said who they are. Reading the megabytes of strangers would keep everybody else waiting. */
export const guestBodyLimitBytes = 1024 * 1024

const refuseLargeFromGuest = ({ ctx }: FastifyRequest, bytes: number): void => {
  if (bytes > guestBodyLimitBytes && !(ctx && isMember(ctx.actor)))
    throw fail('payload_too_large', `Without a credential a body has at most ${guestBodyLimitBytes} bytes`)
}

// In any case of letters: that is how the parser of a type is found as well.
const isParsed = /^application\/(?:(?:[\w.+-]+\+)?json|x-www-form-urlencoded)/i

/** What is read whole is bounded before it is read. */
const isReadWhole = ({ headers, routeOptions: { config } }: FastifyRequest): boolean => {
  if (config.takesStream) return false
  return config.takesBytes === true || isParsed.test(headers['content-type'] ?? '')
}

const isForm = ({ headers }: FastifyRequest): boolean =>
  headers['content-type']?.toLowerCase().startsWith('application/x-www-form-urlencoded') === true

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Before the body is read. Unknown routes answer 404, whatever the body is. */
const refuseForm = (request: FastifyRequest): void => {
  if (!isForm(request) || !hasBody(request) || request.is404) return
  const { takesForm, takesBytes, takesStream } = request.routeOptions.config
  if (takesBytes || takesStream || request.method === 'GET' || request.method === 'HEAD') return
  if (!takesForm) throw fail('unsupported_media_type', 'Send the body as application/json')
  if (Number(request.headers['content-length'] ?? 0) > maxFormBytes)
    throw fail('payload_too_large', `A form has at most ${maxFormBytes} bytes`)
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

/** `value` is what `text` was parsed to: most texts show at a glance that they hold nothing of the kind. */
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

/** Decoding what is no UTF-8 would put replacement characters into what is stored, and nobody would be told. */
const textOf = (bytes: Buffer): string => {
  if (!isUtf8(bytes)) throw fail('invalid_request', 'The body must be UTF-8')
  return bytes.toString('utf8')
}

export const registerBodyParsers = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers()
  const countOpen = createOpenBodies()
  app.decorateRequest('uncountBody', () => {})
  // Whatever the door is: once its answer begins, the work is done.
  app.addHook('onSend', (request, _reply, _payload, done) => {
    request.uncountBody()
    done()
  })
  /** Requests that do not say how large they are: that is known once they are read. */
  const unsized = new WeakMap<FastifyRequest, FastifyReply>()
  app.decorate('countUnsized', (request: FastifyRequest, bytes: number) => {
    const reply = unsized.get(request)
    if (reply) countOpen(request, reply, bytes)
  })
  // What says how large it is need not be read to be refused.
  app.addHook('preParsing', (request, reply, _payload, done) => {
    try {
      refuseForm(request)
      const { 'content-length': length = '0' } = request.headers
      if (isReadWhole(request)) {
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
        done(null, parseJson(bytes))
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

/** For doors that need the bytes themselves, such as those that check a signature. */
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
