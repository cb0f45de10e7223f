// Guarantees: the wire format of streams in both encodings; a reader that stops reading or disconnects stops the
// source.
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { until } from '../../testing/until.ts'
import { fail } from '../core/errors.ts'
import type { EventStream, StreamEvent } from '../core/event-stream.ts'
import { endStreamsOnClose, lastEventIdOf, sendStream } from './streams.ts'

let app: FastifyInstance
let stream: EventStream
let takeAccess = () => {}
const watch = (onLoss: () => void) => {
  takeAccess = onLoss
  return () => {
    takeAccess = () => {}
  }
}
beforeEach(async () => {
  app = Fastify() as unknown as FastifyInstance
  endStreamsOnClose(app)
  app.get('/stream', (request, reply) => sendStream(request, reply, stream, { baseUrl: 'http://here', watch }))
  await app.listen({ host: '127.0.0.1', port: 0 })
})
afterEach(async () => {
  app.server.closeAllConnections()
  await app.close()
})

const port = () => (app.server.address() as AddressInfo).port
const read = async (accept = 'text/event-stream') => {
  const response = await fetch(`http://127.0.0.1:${port()}/stream`, { headers: { accept } })
  return { response, text: await response.text() }
}
const of = (...events: StreamEvent[]): EventStream['open'] =>
  async function* () {
    yield* events
  }

const life: StreamEvent[] = [
  { type: 'update', id: 4, data: { id: 'r', status: 7 } },
  { type: 'delta', data: { delta: 'a', seq: 1 } },
  { type: 'update', id: 5, data: { id: 'r', status: 9 }, fields: ['status'] },
  { type: 'update', id: 6, data: { id: 'r', status: 10 } },
]

describe('a single resource', () => {
  it('as events: every frame numbered, partial ones wrapped, done at the end', async () => {
    stream = { single: true, open: of(...life) }
    const { response, text } = await read()
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    expect(text.split('\n\n')).toEqual([
      'event: update\nid: 4\ndata: {"id":"r","status":7}',
      'id: 4\nevent: delta\ndata: {"delta":"a","seq":1}',
      'event: update\nid: 5\ndata: {"data":{"id":"r","status":9},"fields":["status"]}',
      'event: update\nid: 6\ndata: {"id":"r","status":10}',
      'id: 6\nevent: done\ndata: {}',
      '',
    ])
  })

  it.each(['application/x-ndjson', 'application/jsonl'])(
    'as lines for %s: without envelope and without done',
    async (accept) => {
      stream = { single: true, open: of(...life) }
      const { response, text } = await read(accept)
      expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
      expect(
        text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).toEqual([
        { id: 'r', status: 7 },
        { event: 'delta', data: { delta: 'a', seq: 1 } },
        { data: { id: 'r', status: 9 }, fields: ['status'] },
        { id: 'r', status: 10 },
      ])
    },
  )

  const bothForms = [
    'event: update\nid: 4\ndata: {"id":"r","status":7}',
    'id: 4\ndata: {"id":"r","status":7}',
    'id: 4\nevent: delta\ndata: {"delta":"a","seq":1}',
    'id: 4\nevent: done\ndata: {}',
    '',
  ]
  const key = { accept: 'text/event-stream', authorization: 'Bearer key' }
  it.each<[string, RequestInit]>([
    ['the published JavaScript client', { headers: { 'x-client-source': 'inference-sdk-js/0.5.15' } }],
    [
      'the proxy of that client',
      { headers: { accept: 'application/json', 'x-inf-proxy': '@inferencesh/sdk-proxy/hono' } },
    ],
    ['an EventSource with a key, as its older versions use it', { headers: key, cache: 'no-store' }],
  ])('for %s, updates come with and without their name', async (_name, init) => {
    stream = { single: true, open: of(...life.slice(0, 2)) }
    const response = await fetch(`http://127.0.0.1:${port()}/stream`, init)
    expect((await response.text()).split('\n\n')).toEqual(bothForms)
  })

  it.each<[string, RequestInit]>([
    ['a program that reads the body of fetch', { headers: key }],
    ['an EventSource without a key', { headers: { accept: 'text/event-stream' }, cache: 'no-store' }],
    ['another client', { headers: { ...key, 'x-client-source': 'other/1.0' } }],
  ])('for %s, updates come once', async (_name, init) => {
    stream = { single: true, open: of(...life.slice(0, 2)) }
    const response = await fetch(`http://127.0.0.1:${port()}/stream`, init)
    expect((await response.text()).split('\n\n')).toEqual(bothForms.filter((_, index) => index !== 1))
  })

  it('a refusal before the first event is an HTTP error', async () => {
    stream = {
      single: true,
      // biome-ignore lint/correctness/useYield: it throws before its first event
      open: async function* () {
        throw fail('not_found')
      },
    }
    expect((await read()).response.status).not.toBe(200)
  })

  const breaking: EventStream['open'] = async function* () {
    yield life[0] as StreamEvent
    throw new Error('private words')
  }
  it('a failure later is an error event without its cause', async () => {
    stream = { single: true, open: breaking }
    const { text } = await read()
    expect(text).toContain('event: error\ndata: {"type":"http://here/errors/internal_error"')
    expect(text).not.toContain('private words')
  })
  it('a failure later breaks the connection for lines', async () => {
    stream = { single: true, open: breaking }
    await expect(read('application/x-ndjson')).rejects.toThrow()
  })
})

it('named events carry their name; lines too', async () => {
  stream = {
    single: false,
    open: of(
      { type: 'update', name: 'engines', data: { id: 'e' } },
      { type: 'update', name: 'users', data: { id: 'u', a: 1 }, fields: ['a'] },
    ),
  }
  expect((await read()).text).toBe(
    'event: engines\ndata: {"id":"e"}\n\nevent: users\ndata: {"data":{"id":"u","a":1},"fields":["a"]}\n\n',
  )
  expect((await read('application/jsonl')).text).toBe(
    '{"event":"engines","data":{"id":"e"}}\n{"event":"users","data":{"id":"u","a":1},"fields":["a"]}\n',
  )
})

it.each([true, false])('HEAD returns the headers and ends the source (a resource: %s)', async (single) => {
  let isOpen = true
  stream = {
    single,
    open: async function* (signal) {
      signal.addEventListener('abort', () => {
        isOpen = false
      })
      yield { type: 'update', id: 1, data: { id: 'r' } }
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    },
  }
  // Without an end after the headers, the next request on the connection would hang.
  const socket = connect(port(), '127.0.0.1')
  socket.write('HEAD /stream HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(2))
  let answers = ''
  for await (const chunk of socket) {
    answers += chunk
    if (answers.match(/200 OK/g)?.length === 2) break
  }
  expect(answers).toContain('content-type: text/event-stream')
  await until(() => !(isOpen && single))
})

it('a reader that stops reading pauses the source, and one that disconnects ends it', async () => {
  let made = 0
  let ended = false
  const text = 'x'.repeat(64 * 1024)
  stream = {
    single: true,
    open: async function* () {
      try {
        for (;;) {
          made += 1
          yield { type: 'update', id: made, data: { id: 'r', text } }
        }
      } finally {
        ended = true
      }
    },
  }
  const socket = connect(port(), '127.0.0.1')
  await once(socket, 'connect')
  socket.write('GET /stream HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(socket, 'readable')
  // The test stops reading here, so the events fill the buffers of the connection.
  let before = -1
  while (made !== before) {
    before = made
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  expect(made).toBeLessThan(1_000)
  socket.destroy()
  await until(() => ended)
})

describe('a reader that loses access', () => {
  const endless: EventStream['open'] = async function* (signal) {
    yield { type: 'update', id: 1, data: { id: 'r' } }
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  }
  const opened = async () => {
    const response = await fetch(`http://127.0.0.1:${port()}/stream`)
    const reader = response.body?.getReader()
    await reader?.read()
    return reader
  }
  it('gets a broken connection from a resource, not a clean end', async () => {
    stream = { single: true, open: endless }
    const reader = await opened()
    takeAccess()
    await expect(reader?.read()).rejects.toThrow()
  })
  it('gets a clean end of other streams', async () => {
    stream = { single: false, open: endless }
    const reader = await opened()
    takeAccess()
    expect(await reader?.read()).toMatchObject({ done: true })
  })
})

it.each([
  [{ 'last-event-id': '7' }, undefined, 7],
  [{}, '8', 8],
  [{ 'last-event-id': '7' }, '8', 7],
  [{ 'last-event-id': 'x' }, '8', null],
  [{}, '-1', null],
  [{}, undefined, null],
])('where to go on: %o %s', (headers, query, expected) => expect(lastEventIdOf(headers, query)).toBe(expected))

describe('heartbeats', () => {
  afterEach(() => void vi.useRealTimers())

  it.each([
    ['text/event-stream', ': heartbeat\n\n'],
    ['application/x-ndjson', '{"type":"heartbeat"}\n'],
  ])('every ten seconds, as %s has them, and none after the end', async (accept, beat) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const finish = Promise.withResolvers<void>()
    stream = {
      single: false,
      open: async function* () {
        await finish.promise
        yield* []
      },
    }
    const response = await fetch(`http://127.0.0.1:${port()}/stream`, { headers: { accept } })
    const reader = response.body?.getReader()
    const next = async () => Buffer.from((await reader?.read())?.value ?? '').toString()
    for (const _ of [1, 2, 3]) {
      vi.advanceTimersByTime(9_999)
      // An early heartbeat would be read here together with the expected one.
      vi.advanceTimersByTime(1)
      expect(await next()).toBe(beat)
    }
    finish.resolve()
    expect(await next()).toBe('')
    expect(vi.getTimerCount()).toBe(0)
  })
})
