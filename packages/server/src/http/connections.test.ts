// Guards: who opens sockets without end, or sends without hurry, takes nothing that others need.
import { EventEmitter } from 'node:events'
import { Server, type Socket } from 'node:net'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { bodyTimeoutMs, connectionsPerAddress, endSlowBody, headersTimeout, limitConnections } from './connections.ts'

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

  it('of one address are bounded, and another has its own', () => {
    const server = serverFor()
    expect(refused(open(server, '203.0.113.5', connectionsPerAddress + 7))).toBe(7)
    expect(refused(open(server, '203.0.113.6', 10))).toBe(0)
  })

  it('that end make room', () => {
    const server = serverFor()
    const held = open(server, '203.0.113.5', connectionsPerAddress)
    for (const socket of held.slice(0, 3)) socket.destroy()
    expect(refused(open(server, '203.0.113.5', 5))).toBe(2)
  })

  it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '198.51.100.9'])(
    'of %s, this machine or a proxy, stand for many',
    (address) => {
      expect(refused(open(serverFor(['198.51.100.0/24']), address, connectionsPerAddress + 7))).toBe(0)
    },
  )

  it('leave descriptors for files and the database', () => {
    const { maxConnections } = serverFor()
    expect(maxConnections).toBeGreaterThanOrEqual(64)
    expect(maxConnections).toBeLessThan(1_000_000)
  })

  it('bring their headers within 15 seconds', () => {
    expect(headersTimeout).toBe(15_000)
  })
})

describe('a body', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())
  const bodyThat = (complete: boolean) => Object.assign(new EventEmitter(), { complete, destroy: vi.fn() })

  it('that has not arrived after a minute is cut off', () => {
    const body = bodyThat(false)
    endSlowBody(body as never)
    vi.advanceTimersByTime(bodyTimeoutMs - 1)
    expect(body.destroy).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(body.destroy).toHaveBeenCalledOnce()
  })

  it('that has arrived is left alone', () => {
    const ended = bodyThat(false)
    endSlowBody(ended as never)
    ended.emit('end')
    const complete = bodyThat(true)
    endSlowBody(complete as never)
    vi.advanceTimersByTime(bodyTimeoutMs)
    expect([ended.destroy.mock.calls.length, complete.destroy.mock.calls.length]).toEqual([0, 0])
  })
})
