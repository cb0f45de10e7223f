// Guarantees: clients that open many sockets or send slowly cannot use up shared resources.
import { EventEmitter } from 'node:events'
import { connect, Server, type Socket } from 'node:net'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { register } from '#machines/engines/testing/engine-double.ts'
import { createWorld } from '../../testing/world.ts'
import { bodyTimeoutMs, connectionsPerCaller, endSlowBody, headersTimeout, limitConnections } from './connections.ts'

const log = pino({ level: 'silent' })

class FakeSocket extends EventEmitter {
  destroyed = false
  readonly remoteAddress: string
  constructor(remoteAddress: string) {
    super()
    this.remoteAddress = remoteAddress
  }
  destroy(): void {
    this.destroyed = true
    this.emit('close')
  }
}

const open = (server: Server, address: string, count: number): FakeSocket[] =>
  Array.from({ length: count }, () => {
    const socket = new FakeSocket(address)
    server.emit('connection', socket as unknown as Socket)
    return socket
  })

const refused = (sockets: FakeSocket[]): number => sockets.filter(({ destroyed }) => destroyed).length

describe('connections', () => {
  const serverFor = (proxies: string[] = []): Server => {
    const server = new Server()
    limitConnections(server, { proxies, log })
    return server
  }

  it('of one address are limited independent of other addresses', () => {
    const server = serverFor()
    expect(refused(open(server, '203.0.113.5', connectionsPerCaller + 7))).toBe(7)
    expect(refused(open(server, '203.0.113.6', 10))).toBe(0)
  })

  it('of one IPv6 /64 network count together', () => {
    const server = serverFor()
    const sockets = Array.from({ length: connectionsPerCaller + 7 }, (_, index) =>
      open(server, `2001:db8:1:2::${index.toString(16)}`, 1),
    )
    expect(refused(sockets.flat())).toBe(7)
    expect(refused(open(server, '2001:db8:1:3::1', 10))).toBe(0)
  })

  it('that end free their slot', () => {
    const server = serverFor()
    const held = open(server, '203.0.113.5', connectionsPerCaller)
    for (const socket of held.slice(0, 3)) socket.destroy()
    expect(refused(open(server, '203.0.113.5', 5))).toBe(2)
  })

  it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '198.51.100.9'])(
    'of %s (this machine or a proxy) are not limited',
    (address) => {
      expect(refused(open(serverFor(['198.51.100.0/24']), address, connectionsPerCaller + 7))).toBe(0)
    },
  )

  it('leave file descriptors for files and the database', () => {
    const { maxConnections } = serverFor()
    expect(maxConnections).toBeGreaterThanOrEqual(64)
    expect(maxConnections).toBeLessThan(1_000_000)
  })

  it('must send their headers within 15 seconds', () => {
    expect(headersTimeout).toBe(15_000)
  })
})

it('requests of one client through a proxy are limited, including sockets', async () => {
  const world = await createWorld({ settings: { TRUST_PROXY: '127.0.0.1' } })
  const origin = new URL(await world.listen())
  const held: Socket[] = []
  /** Opens a request whose body never arrives completely, and returns the status line if there is one. */
  const ask = (from: string) => {
    const socket = connect(Number(origin.port), origin.hostname)
    held.push(socket)
    const headers = `host: x\r\nx-forwarded-for: ${from}\r\ncontent-type: application/json\r\ncontent-length: 9`
    socket.write(`POST /auth/magic-link/send HTTP/1.1\r\n${headers}\r\n\r\n`)
    return new Promise<string>((resolve) =>
      socket.once('data', (data) => resolve(data.toString('latin1').slice(0, 12))),
    )
  }
  const get = (address: string) => world.call(null, 'GET /healthz', { headers: { 'x-forwarded-for': address } })
  const status = async (address: string) => (await get(address)).status
  const engine = await register(world)
  const live = new WebSocket(`ws://${origin.host}/ws/engines/${engine.id}`, {
    headers: {
      authorization: `Bearer ${await world.token('owner')}`,
      'x-team-id': world.team.id,
      'x-forwarded-for': '2001:db8:1:2::ffff',
    },
  })
  await new Promise((resolve) => live.once('open', resolve))
  for (let index = 1; index < connectionsPerCaller; index++) void ask(`2001:db8:1:2::${index.toString(16)}`)
  await expect.poll(() => status('2001:db8:1:2::2')).toBe(429)
  expect((await get('2001:db8:1:2::2')).headers).toMatchObject({ 'retry-after': '1', 'x-ratelimit-remaining': '0' })
  expect(await ask('2001:db8:1:2::1')).toBe('HTTP/1.1 429')
  expect(await status('2001:db8:1:3::1')).toBe(200)
  expect(await status('203.0.113.5')).toBe(200)
  live.close()
  await expect.poll(() => status('2001:db8:1:2::2')).toBe(200)
  for (const socket of held) socket.destroy()
  await world.close()
})

describe('a body', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())
  const bodyThat = (complete: boolean) => Object.assign(new EventEmitter(), { complete, destroy: vi.fn() })

  it('that has not arrived after a minute is aborted', () => {
    const body = bodyThat(false)
    endSlowBody(body as never)
    vi.advanceTimersByTime(bodyTimeoutMs - 1)
    expect(body.destroy).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(body.destroy).toHaveBeenCalledOnce()
  })

  it('that has arrived is not aborted', () => {
    const ended = bodyThat(false)
    endSlowBody(ended as never)
    ended.emit('end')
    const complete = bodyThat(true)
    endSlowBody(complete as never)
    vi.advanceTimersByTime(bodyTimeoutMs)
    expect([ended.destroy.mock.calls.length, complete.destroy.mock.calls.length]).toEqual([0, 0])
  })
})
