// Converts a reply of undici to a web `Response` with a decoded body of limited size.
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { outboundFailure } from './failures.ts'

export type Reply = { readonly status: number; readonly headers: Headers; readonly body: Readable }

export type BodyLimits = {
  /** For the error message. */
  readonly host: string
  readonly maxBytes: number | null
  /** Converts a stream error; only the client knows whether its deadline caused it. */
  readonly failureOf: (error: unknown) => unknown
}

export const toResponse = (reply: Reply, url: URL, method: string, redirected: boolean, limits: BodyLimits) => {
  const { status } = reply
  const headers = new Headers(reply.headers)
  if (status < 200 || status > 599) {
    discard(reply.body)
    throw outboundFailure('bad_response', `${limits.host} returned status ${status}`)
  }
  const bodiless = method === 'HEAD' || status === 204 || status === 205 || status === 304
  const body = bodiless ? null : boundedStream(decoded(reply.body, headers), headers, limits)
  // Reading to the end keeps the connection for the next request.
  if (bodiless) reply.body.on('error', ignoreBroken).resume()
  const response = new Response(body, { status, headers })
  // A constructed Response has neither; libraries compare `url` with their request.
  Object.defineProperty(response, 'url', { value: url.href })
  Object.defineProperty(response, 'redirected', { value: redirected })
  return response
}

/** Destroys an unread body to free its socket. */
export const discard = (body: Readable): void => {
  body.on('error', ignoreBroken)
  body.destroy()
}

// The reader of the stream gets the error; the event must not end the process.
const ignoreBroken = () => {}

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

const decoded = (body: Readable, headers: Headers): Readable => {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  const decoder = Object.entries(decoders).find(([name]) => name === encoding)?.[1]
  if (!decoder) return body
  headers.delete('content-encoding')
  headers.delete('content-length')
  return pipeline(body, decoder(), ignoreBroken)
}

const boundedStream = (
  body: Readable,
  headers: Headers,
  { host, maxBytes, failureOf }: BodyLimits,
): ReadableStream<Uint8Array> => {
  const tooLarge = () => outboundFailure('too_large', `${host} returned more than ${maxBytes} bytes`)
  body.on('error', ignoreBroken)
  if (maxBytes !== null && Number(headers.get('content-length') ?? 0) > maxBytes) {
    body.destroy()
    throw tooLarge()
  }
  const chunks: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]()
  let receivedBytes = 0
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next()
          if (done) return controller.close()
          receivedBytes += value.byteLength
          if (maxBytes !== null && receivedBytes > maxBytes) throw tooLarge()
          controller.enqueue(value)
        } catch (error) {
          body.destroy()
          controller.error(failureOf(error))
        }
      },
      cancel: () => void body.destroy(),
    },
    { highWaterMark: 0 },
  )
}
