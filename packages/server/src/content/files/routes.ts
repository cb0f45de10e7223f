// The doors for bytes: raw streams instead of operations. The URL is the permission; no credential is looked at.
import { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { parseMediaType } from '#platform/blobs/content-types.ts'
import { guest } from '#platform/core/actor.ts'
import { createCtx, type Platform } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import type { RawDoor } from '#platform/core/raw-door.ts'
import { originOf } from '#platform/http/mount.ts'
import { problemBody, toFailure } from '#platform/http/problem.ts'
import { sendBytes } from '#platform/http/send-bytes.ts'
import { openMedia } from './media.ts'
import { receiveUpload } from './uploads.ts'

/** A sender that stays silent this long in the middle of an upload is cut off. */
export const uploadIdleMs = 120_000

export const fileDoors: readonly RawDoor[] = [
  { name: 'files.upload', door: 'PUT /uploads/:id', access: 'signed link' },
  // Files are served to whoever holds their address; it is long and not to be guessed.
  { name: 'files.media', door: 'GET /media/:team/:name', access: 'signed link' },
]

export const fileRoutes =
  (platform: Platform) =>
  async (app: FastifyInstance): Promise<void> => {
    // A scope of its own: here a body is a stream, whatever type it claims.
    await app.register(async (scope) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', (_request, _body, done) => done(null))
      uploadRoute(scope, platform)
    })
    mediaRoute(app, platform)
  }

const uploadRoute = (app: FastifyInstance, platform: Platform): void => {
  app.route<{ Params: { id: string }; Querystring: Record<string, unknown> }>({
    method: ['PUT', 'OPTIONS'],
    url: '/uploads/:id',
    config: { openToAnyOrigin: 'PUT, OPTIONS', takesStream: true },
    onRequest: async ({ headers }) => {
      // The framework refuses a type that it cannot read; here it is only a hint.
      if (parseMediaType(headers['content-type'] ?? '') === null) delete headers['content-type']
    },
    errorHandler: (error, request, reply) => refuseUpload(error, request, reply, platform.settings.BASE_URL),
    handler: async (request, reply) => {
      const { 'content-length': length, 'content-type': contentType } = request.headers
      const unwatch = watchSilence(request.raw)
      try {
        await receiveUpload(createCtx(platform, guest, { origin: originOf(request), log: request.log as Logger }), {
          fileId: request.params.id,
          exp: request.query.exp,
          sig: request.query.sig,
          contentType,
          sizeBytes: length === undefined ? undefined : Number(length),
          body: request.raw,
          // What a socket delivers is copied for us; a simulated request hands out the sender's own buffers.
          ownsChunks: request.raw instanceof IncomingMessage,
        })
      } finally {
        unwatch()
      }
      return reply.code(200).send()
    },
  })
}

/** Slower than the slowest line: who sends less holds a connection, not an upload. */
const leastBytesPerSecond = 8

/**
 * Cuts off a sender that is silent, or next to it, for one to two times `uploadIdleMs`; returns what ends the watch. Looks at
 * the socket now and then instead of at every chunk. A body that has arrived may take its time to become durable.
 */
const watchSilence = (raw: IncomingMessage): (() => void) => {
  const leastBytes = (uploadIdleMs / 1000) * leastBytesPerSecond
  let seenBytes = Number.NEGATIVE_INFINITY
  const timer = setInterval(() => {
    const { bytesRead } = raw.socket
    if (!raw.complete && bytesRead - seenBytes < leastBytes) raw.destroy(new Error('the sender fell silent'))
    seenBytes = bytesRead
  }, uploadIdleMs)
  return () => clearInterval(timer)
}

/** What a sender may still push at us after a refusal, so that it gets to read the answer. */
const lingerBytes = 64 * 1024 * 1024
const lingerMs = 5000

/**
 * A refusal can come while the sender is still sending. Closing at once would reset the connection, and many clients
 * then report that instead of the answer. So the answer is sent whole, the rest of the body is read away for a bounded
 * while, and only then the connection closes.
 */
const refuseUpload = (error: unknown, request: FastifyRequest, reply: FastifyReply, baseUrl: string): void => {
  const { raw } = request
  // A sender that is gone is no fault of ours, and nobody is left to answer.
  const brokeOff = raw.destroyed && !raw.readableEnded
  const failure = brokeOff ? fail('invalid_request', 'The upload broke off') : toFailure(error)
  if (failure.code === 'internal_error') request.log.error({ err: failure.cause ?? failure }, 'an upload failed')
  const body = Buffer.from(JSON.stringify(problemBody(failure, baseUrl)))
  reply
    .code(failure.status)
    .type('application/problem+json')
    .header('connection', 'close')
    .header('content-length', body.length)
    .send(Readable.from(answerThenDrain(body, raw)))
}

async function* answerThenDrain(answer: Buffer, raw: IncomingMessage): AsyncGenerator<Buffer> {
  yield answer
  if (raw.readableEnded || raw.destroyed) return
  await new Promise<void>((resolve) => {
    let seenBytes = 0
    const timer = setTimeout(resolve, lingerMs)
    raw.on('data', (chunk: Buffer) => {
      seenBytes += chunk.length
      if (seenBytes > lingerBytes) resolve()
    })
    for (const event of ['end', 'close', 'error'])
      raw.once(event, () => {
        clearTimeout(timer)
        resolve()
      })
    raw.resume()
  })
}

const mediaRoute = (app: FastifyInstance, platform: Platform): void => {
  app.route<{ Params: { team: string; name: string }; Querystring: Record<string, unknown> }>({
    method: ['GET', 'HEAD'],
    url: '/media/:team/:name',
    handler: async (request, reply) => {
      const { team, name } = request.params
      const { status, headers, body } = await openMedia(platform, {
        key: `${team}/${name}`,
        headers: request.headers,
        headOnly: request.method === 'HEAD',
        download: 'download' in request.query,
      })
      reply.code(status).headers(headers)
      return body ? sendBytes(reply, body) : reply.send()
    },
  })
}
