// The wire format of event streams: SSE or NDJSON by `Accept`, heartbeats, backpressure, the end of a stream, and the
// 204 that stops a browser from reconnecting.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { guarded } from '../core/boundary.ts'
import { fail } from '../core/errors.ts'
import type { EventStream, ForeignStream, StreamEvent } from '../core/event-stream.ts'
import { problemBody, toFailure } from './problem.ts'

const heartbeatMs = 10_000
const maxStreamMs = 24 * 3600_000

type Encoding = {
  contentType: string
  heartbeat: string
  encode(event: StreamEvent, single: boolean): string
  /** Precedes a frame without a number, so that a client resumes after it. */
  number(id: number | undefined): string
  done: string
}

/** Caches the text of an event, because many clients receive the same event. */
const cached = (encode: Encoding['encode']): Encoding['encode'] => {
  const texts = new WeakMap<StreamEvent, string>()
  return (event, single) => {
    const known = texts.get(event)
    if (known !== undefined) return known
    const text = encode(event, single)
    texts.set(event, text)
    return text
  }
}

const payload = (event: StreamEvent): object =>
  event.type === 'update' && event.fields ? { data: event.data, fields: event.fields } : event.data

const updateLine = 'event: update\n'

const sse: Encoding = {
  contentType: 'text/event-stream; charset=utf-8',
  heartbeat: ': heartbeat\n\n',
  encode: cached((event) => {
    const name = event.type === 'delta' ? 'delta' : (event.name ?? 'update')
    const id = event.type === 'update' && event.id !== undefined ? `id: ${event.id}\n` : ''
    return `event: ${name}\n${id}data: ${JSON.stringify(payload(event))}\n\n`
  }),
  number: (id) => (id === undefined ? '' : `id: ${id}\n`),
  done: 'event: done\ndata: {}\n\n',
}

/**
 * For the published JavaScript client: its `StreamManager` and its older versions listen only to events without a name,
 * while code written for the documented format listens to `update`. Each update is sent in both forms. An `EventSource`
 * dispatches them to different listeners, so no listener receives an update twice.
 */
const sseForSdk: Encoding = {
  ...sse,
  encode: cached((event, single) => {
    const text = sse.encode(event, single)
    return text.startsWith(updateLine) ? text + text.slice(updateLine.length) : text
  }),
}

const ndjson: Encoding = {
  contentType: 'application/x-ndjson; charset=utf-8',
  heartbeat: '{"type":"heartbeat"}\n',
  encode: cached((event, single) => {
    if (event.type === 'delta') return `${JSON.stringify({ event: 'delta', data: event.data })}\n`
    // Lines of a single resource have no name, because clients merge them into the resource.
    if (single && event.name === undefined) return `${JSON.stringify(payload(event))}\n`
    const fields = event.fields ? { fields: event.fields } : {}
    return `${JSON.stringify({ event: event.name ?? 'update', data: event.data, ...fields })}\n`
  }),
  number: () => '',
  // Clients would merge a `done` line into the resource.
  done: '',
}

const foreign = ({ end }: ForeignStream): Encoding => ({
  ...sse,
  encode: (event) => {
    const name = event.type === 'update' && event.name !== undefined ? `event: ${event.name}\n` : ''
    return `${name}data: ${JSON.stringify(event.data)}\n\n`
  },
  number: () => '',
  done: end,
})

const encodingFor = (headers: FastifyRequest['headers'], stream: EventStream): Encoding => {
  if (stream.foreign) return foreign(stream.foreign)
  if (/application\/(x-ndjson|jsonl)/.test(headers.accept ?? '')) return ndjson
  return isSdk(headers) || isEventSourceWithKey(headers) ? sseForSdk : sse
}

/** The client names itself since 0.5.15, and its proxy in every version. */
const isSdk = ({ 'x-client-source': source, 'x-inf-proxy': proxy }: FastifyRequest['headers']): boolean =>
  String(source).startsWith('inference-sdk-js/') || String(proxy).startsWith('@inferencesh/sdk-proxy/')

/**
 * Earlier versions do not name themselves. Their only mark is an `EventSource` that sends a key: browsers cannot, so it
 * is the npm package on top of `fetch`, which sends these headers.
 */
const isEventSourceWithKey = ({ accept, authorization, ...headers }: FastifyRequest['headers']): boolean =>
  accept === 'text/event-stream' &&
  authorization !== undefined &&
  headers['sec-fetch-mode'] !== undefined &&
  headers['cache-control'] === 'no-cache'

/** The number after which the client resumes, from the header or the query. */
export const lastEventIdOf = (headers: Readonly<Record<string, unknown>>, query: string | undefined): number | null => {
  const header = headers['last-event-id']
  const text = typeof header === 'string' ? header : (query ?? '')
  return /^\d{1,15}$/.test(text) ? Number(text) : null
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Functions that end each open stream; null once the server closes. */
    openStreams: Set<() => void> | null
  }
}

/** Open streams would delay the shutdown, so they are ended; clients reconnect to another server. */
export const endStreamsOnClose = (app: FastifyInstance): void => {
  app.decorate('openStreams', new Set<() => void>())
  app.addHook('preClose', async () => {
    const open = app.openStreams ?? []
    app.openStreams = null
    for (const end of open) end()
  })
}

/** An abort reason without a stack, because every disconnect creates one. */
const gone = Symbol('gone')

export type StreamParts = {
  baseUrl: string
  /** Calls back when the reader loses access, because a stream outlives the check of its request. */
  watch: (onLoss: () => void) => () => void
}

export const sendStream = async (
  request: FastifyRequest,
  reply: FastifyReply,
  stream: EventStream,
  { baseUrl, watch }: StreamParts,
): Promise<FastifyReply> => {
  const encoding = encodingFor(request.headers, stream)
  if (stream.finished && encoding !== ndjson) return reply.code(204).send()
  // A closed response emits no further `close` event.
  if (reply.raw.closed) return reply.hijack()
  const { openStreams } = request.server
  if (!openStreams) throw fail('unavailable', 'The server is stopping')
  const abort = new AbortController()
  const { raw } = reply
  raw.once('close', () => abort.abort(gone))
  const breakOff = (): void => {
    abort.abort(gone)
    // A clean end would mean that the resource is finished. A client that reconnects is authorized again.
    if (stream.single || !raw.headersSent) raw.destroy()
    else raw.end()
  }
  openStreams.add(breakOff)
  const unwatch = watch(breakOff)
  raw.once('close', () => {
    openStreams.delete(breakOff)
    unwatch()
  })
  const events = stream.open(abort.signal)[Symbol.asyncIterator]()
  // The first event of a resource is awaited before the headers, so that a refusal can be an HTTP error.
  const first = stream.single ? await events.next() : null
  reply.hijack()
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': encoding.contentType,
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  })
  // A HEAD response has no body.
  if (request.method === 'HEAD') {
    raw.end()
    await events.return?.()
    return reply
  }
  // With a first event, the headers are sent together with it.
  if (!first) raw.flushHeaders()
  const beat = (): void => {
    // A slow reader gets no heartbeats, because they would pile up.
    if (!raw.writableNeedDrain) raw.write(encoding.heartbeat)
  }
  const heartbeat = setInterval(
    guarded(() => raw.destroy(), beat),
    heartbeatMs,
  )
  // A clean end would mean that the resource is finished.
  const timeLimit = setTimeout(() => raw.destroy(), maxStreamMs)
  let lastId: number | undefined
  try {
    for (let next = first ?? (await events.next()); !next.done; next = await events.next()) {
      if (abort.signal.aborted) return reply
      const { value } = next
      const own = value.type === 'update' ? value.id : undefined
      lastId = own ?? lastId
      const text = encoding.encode(value, stream.single)
      if (!raw.write(own === undefined ? encoding.number(lastId) + text : text)) await drained(raw, abort.signal)
    }
    if (!abort.signal.aborted) raw.end(stream.single ? encoding.done && encoding.number(lastId) + encoding.done : '')
  } catch (error) {
    if (abort.signal.aborted) return reply
    const failure = toFailure(error)
    // Revoked access is not a fault of the server.
    if (failure.status >= 500) request.log.error({ err: error }, 'stream failed')
    if (stream.foreign) raw.end(`data: ${JSON.stringify(stream.foreign.failed(failure))}\n\n${stream.foreign.end}`)
    // NDJSON clients would merge a problem into their resource, so the connection is closed instead.
    else if (encoding !== ndjson) raw.end(`event: error\ndata: ${JSON.stringify(problemBody(failure, baseUrl))}\n\n`)
    else raw.destroy()
  } finally {
    clearInterval(heartbeat)
    clearTimeout(timeLimit)
    await events.return?.()
  }
  return reply
}

const drained = (raw: NodeJS.WritableStream, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const finish = () => {
      raw.removeListener('drain', finish)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    raw.once('drain', finish)
    signal.addEventListener('abort', finish)
  })
