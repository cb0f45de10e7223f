// Guarantees: no notation of a private address, scheme, resolver trick or redirect makes the guarded client open a
// forbidden socket. Sockets are counted in `net.Socket.prototype.connect`.
import { createServer, type Server } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import { hostileHosts } from '../../testing/hostile-hosts.ts'
import { isFailure } from '../core/errors.ts'
import { createOutbound, type Outbound } from './client.ts'
import type { Lookup } from './connector.ts'
import { outboundReason } from './failures.ts'
import { asFetch } from './fetch.ts'
import { type OutboundPolicy, parsePrivateHosts } from './policy.ts'

const policy = (allow = '', extra: Partial<OutboundPolicy> = {}): OutboundPolicy => ({
  allow: parsePrivateHosts(allow).allow,
  loopbackAllowed: false,
  ownPorts: [],
  ...extra,
})

// Addresses that a hostile name server may return.
const answers: Record<string, string[]> = {
  'loopback.example': ['127.0.0.1'],
  'loopback6.example': ['::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'private.example': ['10.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'ula.example': ['fd00::1'],
  'scoped.example': ['fe80::1%lo'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'unspecified.example': ['0.0.0.0'],
  'last-of-many.example': ['93.184.216.34', '2606:4700::1111', '127.0.0.1'],
  'first-of-many.example': ['10.0.0.1', '93.184.216.34'],
  'text.example': ['not-an-address'],
  'odd.example': ['0x7f.1'],
}

const familyOf = (address: string) => (address.includes(':') ? 6 : 4)
const answerWith = (addresses: string[]) => addresses.map((address) => ({ address, family: familyOf(address) }))
const hostileLookup: Lookup = async (host) => answerWith(answers[host] ?? ['127.0.0.1'])

let listener: Server
let port: number
let redirectTo: string
let accepted: number
let dialled: MockInstance
let clients: Outbound[]

const client = (given: OutboundPolicy, lookup: Lookup = hostileLookup): Outbound => {
  const made = createOutbound(given, { lookup })
  clients.push(made)
  return made
}

beforeAll(async () => {
  listener = createServer((req, res) => {
    if (req.url === '/go') res.writeHead(307, { location: redirectTo, connection: 'close' }).end()
    else res.writeHead(200, { connection: 'close' }).end('reached')
  })
  listener.on('connection', () => accepted++)
  // All interfaces of both families, so that a forbidden connection would succeed.
  await new Promise<void>((done) => listener.listen(0, done))
  port = (listener.address() as AddressInfo).port
})

afterAll(() => void listener.close())

beforeEach(() => {
  accepted = 0
  clients = []
  dialled = vi.spyOn(Socket.prototype, 'connect')
})

afterEach(async () => {
  dialled.mockRestore()
  await Promise.all(clients.map((one) => one.close()))
})

/** Identifies connections of this client; connections of other test files in this process are ignored. */
const dials = () => dialled.mock.calls.filter((given) => JSON.stringify(given).includes('highWaterMark'))

const refusalOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'was not refused',
    (error: unknown) => error,
  )

const hostileUrls = [
  ...hostileHosts.flatMap((host) => [`http://${host}:PORT/`, `https://${host}:PORT/`]),
  ...Object.keys(answers).flatMap((host) => [`http://${host}:PORT/`, `https://${host}:PORT/`]),
  ...['http://LOOPBACK.example.:PORT/', 'http:127.0.0.1:PORT', 'http:\\\\127.0.0.1:PORT\\', 'http:////127.0.0.1:PORT/'],
  ...['http://\t127.0.0.1:PORT/', ' http://127.0.0.1:PORT/', 'ht\ntp://127.0.0.1:PORT/', 'HTTP://127.0.0.1:PORT/'],
  ...['http://user@127.0.0.1:PORT/', 'http://user:pass@example.com/', 'http://example.com@127.0.0.1:PORT/'],
  ...['http://127.0.0.1:PORT#@example.com/', 'http://127.0.0.1:PORT\\@example.com/', 'http://:x@example.com/'],
  ...['file:///etc/passwd', 'file://127.0.0.1/etc/passwd', 'gopher://127.0.0.1:PORT/_x', 'ftp://127.0.0.1:PORT/'],
  ...['ws://127.0.0.1:PORT/', 'wss://example.com/', 'data:text/plain,x', 'javascript:alert(1)', 'blob:http://x/1'],
  ...[
    'dict://127.0.0.1:PORT/',
    'ldap://127.0.0.1:PORT/',
    'unix:///var/run/docker.sock',
    'http+unix://x/',
    'jar:http://x!/',
  ],
  ...[
    '',
    'not a url',
    '//127.0.0.1:PORT/',
    'http://',
    'http://[::1',
    'http://[fe80::1%25lo]:PORT/',
    'http://256.1.1.1/',
  ],
  ...['http://127.0.0.1:99999/', 'http://1.2.3.4.5/', 'http://0x100000000/', 'http://a b/', 'about:blank'],
]

describe('hostile URLs', () => {
  it('number at least one hundred', () => {
    expect(new Set(hostileUrls).size).toBe(hostileUrls.length)
    expect(hostileUrls.length).toBeGreaterThanOrEqual(100)
  })

  it.each(hostileUrls)('%j opens no socket', async (template) => {
    const url = template.replaceAll('PORT', String(port))
    const outbound = client(policy())
    const errors = [
      await refusalOf(outbound.fetch(url)),
      await refusalOf(outbound.checkUrl(url)),
      await refusalOf(asFetch(outbound)(url, { method: 'POST', body: 'x' })),
    ]
    for (const error of errors) {
      expect(isFailure(error, 'validation_error')).toBe(true)
      expect(['refused', 'invalid']).toContain(outboundReason(error))
    }
    expect(dials()).toEqual([])
    expect(accepted).toBe(0)
  })
})

describe('a name that changes its address', () => {
  // 127.0.0.1 represents the public server (its address is allowed), ::1 the private one.
  const rebinding = (...sequence: string[]) => {
    let calls = 0
    const lookup: Lookup = async () => answerWith([sequence[Math.min(calls++, sequence.length - 1)] ?? ''])
    return { lookup, calls: () => calls }
  }

  it('opens no socket when it becomes private after the check', async () => {
    const { lookup } = rebinding('93.184.216.34', '127.0.0.1')
    const outbound = client(policy(), lookup)
    await outbound.checkUrl(`http://rebind.example:${port}/`)
    expect(outboundReason(await refusalOf(outbound.fetch(`http://rebind.example:${port}/`)))).toBe('refused')
    expect(dials()).toEqual([])
  })

  it('is resolved once per connection, and the checked address is used', async () => {
    const { lookup, calls } = rebinding('127.0.0.1', '::1')
    const outbound = client(policy('127.0.0.1'), lookup)
    const remotes: (string | undefined)[] = []
    listener.once('connection', (socket: Socket) => remotes.push(socket.localAddress))
    const response = await outbound.fetch(`http://rebind.example:${port}/`)
    expect(await response.text()).toBe('reached')
    expect(calls()).toBe(1)
    expect(remotes.map((address) => address?.replace('::ffff:', ''))).toEqual(['127.0.0.1'])
    expect(outboundReason(await refusalOf(outbound.fetch(`http://rebind.example:${port}/`)))).toBe('refused')
    expect(calls()).toBe(2)
    expect([accepted, dials().length]).toEqual([1, 1])
  })
})

describe('redirects to hostile URLs', () => {
  const redirects = hostileUrls.filter((url) => URL.canParse(url.replaceAll('PORT', '1')))

  it.each(redirects)('to %j opens only the first socket', async (template) => {
    redirectTo = new URL(template.replaceAll('PORT', String(port))).href
    // Only the host `front.example` is trusted, so the address of the listener stays closed for other hosts.
    const outbound = client(policy('front.example'))
    const error = await refusalOf(outbound.fetch(`http://front.example:${port}/go`, { method: 'POST', body: 'x' }))
    expect(isFailure(error, 'validation_error') && error.message).toBe(
      'front.example redirected to an address that is not allowed',
    )
    expect([accepted, dials().length]).toEqual([1, 1])
  })
})

describe('Millrace’s own ports', () => {
  it.each(['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '127.8.8.8', 'loopback.example'])(
    'stay closed through %s while loopback is open',
    async (host) => {
      const outbound = client(policy('', { loopbackAllowed: true, ownPorts: [port] }))
      expect(outboundReason(await refusalOf(outbound.fetch(`http://${host}:${port}/`)))).toBe('refused')
      expect(dials()).toEqual([])
    },
  )

  it.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433', 'loopback.example'])(
    'other ports open through %s',
    async (host) => {
      const outbound = client(policy('', { loopbackAllowed: true, ownPorts: [port + 1] }))
      const response = await outbound.fetch(`http://${host}:${port}/`)
      expect(await response.text()).toBe('reached')
    },
  )
})
