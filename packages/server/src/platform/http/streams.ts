// Event streams, the one file that knows their wire form: SSE or NDJSON by `Accept`, heartbeats, back-pressure, the
// end of a stream, and the 204 that keeps a browser from dialling again. What the events are is the feature's business.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { guarded } from '../core/boundary.ts'
import { fail } from '../core/errors.ts'
import type { EventStream, StreamEvent } from '../core/event-stream.ts'
import { problemBody, toFailure } from './problem.ts'

const heartbeatMs = 10_000
const longestMs = 24 * 3600_000

type Encoding = {
  contentType: string
  heartbeat: string
  encode(event: StreamEvent, single: boolean): string
  /** Goes before a frame that has no number of its own, so that a reader resumes behind it. */
  number(id: number | undefined): string
  done: string
}

/** One event goes to many readers: its text is made once per encoding. */
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

const ndjson: Encoding = {
  contentType: 'application/x-ndjson; charset=utf-8',
  heartbeat: '{"type":"heartbeat"}\n',
  encode: cached((event, single) => {
    if (event.type === 'delta') return `${JSON.stringify({ event: 'delta', data: event.data })}\n`
    // The lines of a single resource carry no name: readers merge them straight into what they hold.
    if (single && event.name === undefined) return `${JSON.stringify(payload(event))}\n`
    const fields = event.fields ? { fields: event.fields } : {}
    return `${JSON.stringify({ event: event.name ?? 'update', data: event.data, ...fields })}\n`
  }),
  number: () => '',
  // A `done` line would be merged into the reader's resource.
  done: '',
}

const encodingFor = (accept: string | undefined): Encoding =>
  accept !== undefined && /application\/(x-ndjson|jsonl)/.test(accept) ? ndjson : sse

/** The number after which the caller wants to go on, from the header or the query. */
export const lastEventIdOf = (headers: Readonly<Record<string, unknown>>, query: string | undefined): number | null => {
  const header = headers['last-event-id']
  const text = typeof header === 'string' ? header : (query ?? '')
  return /^\d{1,15}$/.test(text) ? Number(text) : null
}

declare module 'fastify' {
  interface FastifyInstance {
    /** How to end each stream that is open; null once the server closes. */
    openStreams: Set<() => void> | null
  }
}

/** A stream would keep a server that stops for as long as its reader likes: they end, and readers go on elsewhere. */
export const endStreamsOnClose = (app: FastifyInstance): void => {
  app.decorate('openStreams', new Set<() => void>())
  app.addHook('preClose', async () => {
    const open = app.openStreams ?? []
    app.openStreams = null
    for (const end of open) end()
  })
}

/** Given as the reason, so that no error with a stack is made for every reader that leaves. */
const gone = Symbol('gone')

export type StreamParts = {
  baseUrl: string
  /** A stream outlives the request that opened it: it must end when what let its reader in is taken away. */
  watch: (onLoss: () => void) => () => void
}

export const sendStream = async (
  request: FastifyRequest,
  reply: FastifyReply,
  stream: EventStream,
  { baseUrl, watch }: StreamParts,
): Promise<FastifyReply> => {
  const encoding = encodingFor(request.headers.accept)
  if (stream.finished && encoding === sse) return reply.code(204).send()
  // Nobody would say that they leave.
  if (reply.raw.closed) return reply.hijack()
  const { openStreams } = request.server
  if (!openStreams) throw fail('unavailable', 'The server is stopping')
  const abort = new AbortController()
  const { raw } = reply
  raw.once('close', () => abort.abort(gone))
  const breakOff = (): void => {
    abort.abort(gone)
    // A clean end would tell the reader of a resource that it is finished. Whoever comes back is judged anew.
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
  // The first event of a resource is awaited before the headers: a refusal must still be able to be an HTTP error.
  const first = stream.single ? await events.next() : null
  reply.hijack()
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': encoding.contentType,
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  })
  // Nothing follows the headers, so nothing is waited for.
  if (request.method === 'HEAD') {
    raw.end()
    await events.return?.()
    return reply
  }
  // Where the first event is at hand, the headers leave with it.
  if (!first) raw.flushHeaders()
  const beat = (): void => {
    // A reader that is behind needs no sign of life, and must not pile them up.
    if (!raw.writableNeedDrain) raw.write(encoding.heartbeat)
  }
  const heartbeat = setInterval(
    guarded(() => raw.destroy(), beat),
    heartbeatMs,
  )
  // A clean end would tell the reader that the resource is finished.
  const timeLimit = setTimeout(() => raw.destroy(), longestMs)
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
    // What was taken from its reader is no fault of the server.
    if (failure.status >= 500) request.log.error({ err: error }, 'a stream broke')
    // NDJSON readers would merge a problem into their resource: there the connection just breaks.
    if (encoding === sse) raw.end(`event: error\ndata: ${JSON.stringify(problemBody(failure, baseUrl))}\n\n`)
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
