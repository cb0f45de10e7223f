// Guarantees: two ends connect in either order and receive each other's frames in order; buffers are bounded; every end
// has its close code.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import {
  createRelay,
  maxBufferedBytes,
  maxBufferedFrames,
  type Relay,
  type RelayEnd,
  type RelayTimes,
  relayTimes,
} from './relay.ts'
import { type LiveEnd, openEnd } from './testing/live.ts'
import type { SocketRole } from './tokens.ts'

let server: WebSocketServer
let relay: Relay
let paired: string[]
let ended: { id: string; end: RelayEnd }[]

const start = (times: Partial<RelayTimes> = {}): void => {
  paired = []
  ended = []
  relay = createRelay(
    { paired: (id) => paired.push(id), ended: (id, end) => ended.push({ id, end }) },
    { ...relayTimes, ...times },
  )
}

beforeAll(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  server.on('connection', (socket: WebSocket, request) => {
    const [, id = '', role = ''] = (request.url ?? '').split('/')
    relay.join(id, role as SocketRole, socket)
  })
})
beforeEach(() => start())
afterAll(() => {
  for (const socket of server.clients) socket.terminate()
  server.close()
})

const dial = (id: string, role: SocketRole): Promise<LiveEnd> =>
  openEnd(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/${id}/${role}`)

it('the peer receives the frames that were sent before it connected, in order and with their type', async () => {
  const client = await dial('a', 'client')
  client.socket.send('{"one":1}')
  client.socket.send(Buffer.from([1, 2]))
  const worker = await dial('a', 'worker')
  expect(await worker.next()).toBe('{"one":1}')
  expect(await worker.next()).toEqual(Buffer.from([1, 2]))
  worker.socket.send('back')
  expect(await client.next()).toBe('back')
  expect(paired).toEqual(['a'])
})

it('reading stops at the byte limit of the buffer, however few frames it has', async () => {
  const client = await dial('heavy', 'client')
  for (let n = 0; n < 8; n += 1) client.socket.send(Buffer.alloc(8 * 1024 * 1024, n))
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(client.socket.bufferedAmount).toBeGreaterThan(maxBufferedBytes)
  const worker = await dial('heavy', 'worker')
  for (let n = 0; n < 8; n += 1) expect((await worker.next())[0]).toBe(n)
})

it('reading stops at the frame limit of the buffer, and no frame is lost', async () => {
  const worker = await dial('b', 'worker')
  const count = maxBufferedFrames * 4
  const big = 'x'.repeat(64 * 1024)
  for (let n = 0; n < count; n += 1) worker.socket.send(`${n}:${big}`)
  // Unread frames stay with the sender.
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(worker.socket.bufferedAmount).toBeGreaterThan(0)
  const client = await dial('b', 'client')
  for (let n = 0; n < count; n += 1) expect(String(await client.next()).split(':')[0]).toBe(String(n))
})

const endings: [claim: string, leave: (ends: Ends) => void, other: keyof Ends, code: number, outcome: string][] = [
  ['the caller closes', ({ client }) => client.socket.close(1000), 'worker', 1000, 'client_closed'],
  ['the function returns', ({ worker }) => worker.socket.close(1000), 'client', 1000, 'worker_closed'],
  ['the caller disconnects', ({ client }) => client.socket.terminate(), 'worker', 1000, 'client_closed'],
  ['the task ends', () => relay.finish('c'), 'client', 1000, 'task_ended'],
  ['the server restarts', () => relay.close(), 'client', 1012, 'drained'],
]
type Ends = { client: LiveEnd; worker: LiveEnd }

it.each(endings)('%s', async (_claim, leave, other, code, outcome) => {
  const ends = { client: await dial('c', 'client'), worker: await dial('c', 'worker') }
  ends.client.socket.send('four')
  await ends.worker.next()
  leave(ends)
  expect((await ends[other].closed).code).toBe(code)
  expect(ended).toMatchObject([
    { id: 'c', end: { outcome, counters: { client_frames: 1, client_bytes: 4, worker_frames: 0 } } },
  ])
})

it('a restart asks an end without a peer to reconnect and does not close the live socket', async () => {
  const client = await dial('d', 'client')
  relay.close()
  expect((await client.closed).code).toBe(1012)
  expect(ended).toEqual([])
})

it('an end whose peer does not connect is closed with a reason', async () => {
  start({ peerWaitMs: 30 })
  expect((await (await dial('e', 'worker')).closed).code).toBe(1013)
})

it('a newer connection replaces one without a peer; a connected pair accepts no other', async () => {
  const first = await dial('f', 'client')
  const second = await dial('f', 'client')
  expect((await first.closed).code).toBe(4000)
  const worker = await dial('f', 'worker')
  expect((await (await dial('f', 'client')).closed).code).toBe(1008)
  worker.socket.send('still here')
  expect(await second.next()).toBe('still here')
})

it('an unresponsive end is closed', async () => {
  start({ pingMs: 50, silenceMs: 200 })
  const client = await dial('g', 'client')
  // Paused, the client answers no ping.
  client.socket.pause()
  const worker = await dial('g', 'worker')
  expect((await worker.closed).code).toBe(1000)
  expect(ended[0]?.end.outcome).toBe('client_closed')
})
