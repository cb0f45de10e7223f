// Endpoints for bytes: raw streams instead of operations. The URL is the permission; credentials are not read.
import { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { parseMediaType } from '#platform/blobs/content-types.ts'
import { guest } from '#platform/core/actor.ts'
import { createCtx, type Platform } from '#platform/core/ctx.ts'
import type { DeclaredRoute } from '#platform/core/declared-route.ts'
import { fail } from '#platform/core/errors.ts'
import { originOf } from '#platform/http/mount.ts'
import { problemBody, toFailure } from '#platform/http/problem.ts'
import { sendBytes } from '#platform/http/send-bytes.ts'
import { openMedia } from './media.ts'
import { receiveUpload } from './uploads.ts'

/** An upload without new bytes for this long is aborted. */
export const uploadIdleMs = 120_000

export const declaredFileRoutes: readonly DeclaredRoute[] = [
  { name: 'files.upload', route: 'PUT /uploads/:id', access: 'signed link' },
  // No credential is needed: the address cannot be guessed.
  { name: 'files.media', route: 'GET /media/:team/:name', access: 'signed link' },
]

export const fileRoutes =
  (platform: Platform) =>
  async (app: FastifyInstance): Promise<void> => {
    // An encapsulated scope, because here every content type is read as a stream.
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
      // The framework refuses types that it cannot parse; here the type is only a hint.
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
          // Chunks from a socket are copies; a simulated request passes the sender's own buffers.
          ownsChunks: request.raw instanceof IncomingMessage,
        })
      } finally {
        unwatch()
      }
      return reply.code(200).send()
    },
  })
}

/** Slower than any real connection. */
const minBytesPerSecond = 8

/**
 * Aborts an upload that is silent, or nearly silent, for one to two times `uploadIdleMs`; returns a function that stops
 * the timer. Samples the socket instead of counting every chunk. Storing a body that has arrived is not limited.
 */
const watchSilence = (raw: IncomingMessage): (() => void) => {
  const minBytes = (uploadIdleMs / 1000) * minBytesPerSecond
  let seenBytes = Number.NEGATIVE_INFINITY
  const timer = setInterval(() => {
    const { bytesRead } = raw.socket
    if (!raw.complete && bytesRead - seenBytes < minBytes) raw.destroy(new Error('the upload stalled'))
    seenBytes = bytesRead
  }, uploadIdleMs)
  return () => clearInterval(timer)
}

/** Bytes that are read and discarded after a refusal, so that the sender can read the answer. */
const lingerBytes = 64 * 1024 * 1024
const lingerMs = 5000

/**
 * An upload may be refused while the sender is still sending. Closing the connection at once would reset it, and many
 * clients then report the reset instead of the answer. So the full answer is sent, the rest of the body is discarded
 * for a limited time, and then the connection is closed.
 */
const refuseUpload = (error: unknown, request: FastifyRequest, reply: FastifyReply, baseUrl: string): void => {
  const { raw } = request
  // A sender that disconnected is not a server error and gets no answer.
  const brokeOff = raw.destroyed && !raw.readableEnded
  const failure = brokeOff ? fail('invalid_request', 'The upload was interrupted') : toFailure(error)
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
