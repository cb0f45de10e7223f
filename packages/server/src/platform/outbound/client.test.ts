// Guarantees: an allowed request behaves like that of any HTTP client (redirects, encodings, streams) within limits of
// time, size and redirects; error messages contain no address and no secret.
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isFailure } from '../core/errors.ts'
import { createOutbound, type OutboundRequest } from './client.ts'
import type { Lookup } from './connector.ts'
import { outboundReason } from './failures.ts'
import { asFetch } from './fetch.ts'
import { parsePrivateHosts } from './policy.ts'

const textOf = async (req: IncomingMessage) => {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const sleepers = new Set<NodeJS.Timeout>()

const routes: Record<string, RequestListener> = {
  '/echo': async (req, res) => {
    const { method, headers } = req
    res.setHeader('content-type', 'application/json')
    res.end(JSON.stringify({ method, headers, body: await textOf(req) }))
  },
  '/cookies': (_req, res) => void res.writeHead(200, { 'set-cookie': ['a=1', 'b=2'] }).end(),
  '/none': (_req, res) => void res.writeHead(204).end(),
  '/gzip': (_req, res) => void res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('hello')),
  '/br': (_req, res) => void res.writeHead(404, { 'content-encoding': 'br' }).end(brotliCompressSync('hello')),
  '/bad-gzip': (_req, res) => void res.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip at all'),
  '/bomb': (_req, res) => {
    res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(8 * 1024 * 1024)))
  },
  '/big': (_req, res) => void res.end(Buffer.alloc(2_000)),
  '/chunked': (_req, res) => {
    res.write(Buffer.alloc(900))
    res.write(Buffer.alloc(900))
    res.end()
  },
  '/exact': (_req, res) => void res.writeHead(200, { 'content-length': '1000' }).end(Buffer.alloc(1_000)),
  '/silent': () => {},
  '/half': (_req, res) => void res.write('first'),
  '/drip': (_req, res) => {
    const timer = setInterval(() => res.write('.'), 20)
    sleepers.add(timer)
    res.on('close', () => clearInterval(timer))
  },
  '/cut': (_req, res) => {
    res.writeHead(200, { 'content-length': '100' })
    res.write('first')
    setTimeout(() => res.destroy(), 10)
  },
  '/999': (_req, res) => void res.writeHead(999).end(),
  '/loop': (_req, res) => void res.writeHead(302, { location: '/loop' }).end('x'),
}

const serve: RequestListener = (req, res) => {
  const url = new URL(req.url ?? '/', 'http://any')
  const hops = /^\/hops\/(\d+)$/.exec(url.pathname)
  if (hops)
    return void res.writeHead(302, { location: hops[1] === '1' ? '/echo' : `/hops/${Number(hops[1]) - 1}` }).end()
  const to = url.searchParams.get('to')
  if (to) return void res.writeHead(Number(url.searchParams.get('status') ?? 307), { location: to }).end()
  const route = routes[url.pathname]
  if (route) route(req, res)
  else res.writeHead(404).end('no such route')
}

let server: Server
let port: number
let connections = 0
const lookup: Lookup = async (host) => {
  if (host === 'missing.example') throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
  if (host === 'empty.example') return []
  if (host === 'slow.example') return new Promise(() => {})
  return [{ address: '127.0.0.1', family: 4 }]
}
const outbound = createOutbound(
  { allow: parsePrivateHosts('127.0.0.1').allow, loopbackAllowed: false, ownPorts: [] },
  { lookup },
)
const at = (path: string, host = 'a.example') => `http://${host}:${port}${path}`
const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'did not fail',
    (error: unknown) => error,
  )

beforeAll(async () => {
  server = createServer(serve).on('connection', () => connections++)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  port = (server.address() as AddressInfo).port
})

afterAll(async () => {
  for (const timer of sleepers) clearInterval(timer)
  await outbound.close()
  server.closeAllConnections()
  server.close()
})

describe('an ordinary exchange', () => {
  it('sends method, headers and body and sets connection headers itself', async () => {
    const response = await outbound.fetch(at('/echo?q=1'), {
      method: 'put',
      headers: { authorization: 'Bearer k', host: 'evil.example', 'transfer-encoding': 'chunked', expect: 'x' },
      body: 'héllo',
    })
    expect([response.status, response.url, response.redirected]).toEqual([200, at('/echo?q=1'), false])
    const seen = (await response.json()) as { method: string; headers: Record<string, string>; body: string }
    expect(seen).toMatchObject({ method: 'PUT', body: 'héllo', headers: { authorization: 'Bearer k' } })
    expect(seen.headers).toMatchObject({ host: `a.example:${port}`, 'content-length': '6', 'user-agent': 'millrace' })
    expect(seen.headers['transfer-encoding']).toBeUndefined()
  })

  it.each([
    ['/gzip', 200, 'hello'],
    ['/br', 404, 'hello'],
  ])('decodes %s', async (path, status, text) => {
    const response = await outbound.fetch(at(path))
    expect([response.status, await response.text(), response.headers.get('content-encoding')]).toEqual([
      status,
      text,
      null,
    ])
  })

  it('keeps several cookies apart', async () => {
    const response = await outbound.fetch(at('/cookies'))
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  })

  it('handles a response without a body and reuses the connection', async () => {
    const before = connections
    for (let i = 0; i < 10; i++) {
      const response = await outbound.fetch(at('/none', 'keep.example'), { method: 'POST' })
      expect([response.status, await response.text()]).toEqual([204, ''])
    }
    // The next request may start before the connection is returned, so two connections can alternate.
    expect(connections - before).toBeLessThanOrEqual(2)
  })

  it('streams: the first part is readable before the rest, and canceling closes the connection', async () => {
    const closed = new Promise<void>((done) => server.once('request', (_req, res) => res.once('close', done)))
    const response = await outbound.fetch(at('/half'), { timeoutMs: null, maxBytes: null })
    const reader = response.body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first')
    await reader?.cancel()
    await closed
  })

  it('sends the host name, not the address, to a TLS server', async () => {
    const hello = Promise.withResolvers<Buffer>()
    const tcp = createTcpServer((socket) => {
      socket.on('error', hello.reject)
      socket.once('data', (data: Buffer) => {
        hello.resolve(data)
        socket.end()
      })
    })
    await new Promise<void>((done) => tcp.listen(0, '127.0.0.1', done))
    const tlsPort = (tcp.address() as AddressInfo).port
    const failure = await failureOf(outbound.fetch(`https://secure.example:${tlsPort}/`))
    expect(outboundReason(failure)).toBe('unreachable')
    expect((await hello.promise).includes('secure.example')).toBe(true)
    tcp.close()
  })
})

describe('redirects', () => {
  it('are followed to the end, up to the limit', async () => {
    const response = await outbound.fetch(at('/hops/5'))
    expect([response.status, response.url, response.redirected]).toEqual([200, at('/echo'), true])
    expect(outboundReason(await failureOf(outbound.fetch(at('/hops/6'))))).toBe('redirect')
    expect(outboundReason(await failureOf(outbound.fetch(at('/hops/2'), { maxRedirects: 1 })))).toBe('redirect')
    expect(outboundReason(await failureOf(outbound.fetch(at('/loop'))))).toBe('redirect')
  })

  it('keep credentials within an origin and never send them to another', async () => {
    const request: OutboundRequest = {
      method: 'POST',
      headers: { authorization: 'Bearer k', cookie: 'c=1', 'x-api-key': 'k', accept: 'application/json' },
      body: 'x',
    }
    const same = await (await outbound.fetch(at('/r?to=/echo'), request)).json()
    expect(same).toMatchObject({ method: 'POST', body: 'x', headers: { authorization: 'Bearer k', cookie: 'c=1' } })
    const other = (await (await outbound.fetch(at(`/r?to=${at('/echo', 'b.example')}`), request)).json()) as {
      headers: Record<string, string>
    }
    expect(other).toMatchObject({ method: 'POST', body: 'x', headers: { accept: 'application/json' } })
    for (const name of ['authorization', 'cookie', 'x-api-key']) expect(other.headers[name]).toBeUndefined()
  })

  it('do not restore credentials after a return to the first origin', async () => {
    const home = encodeURIComponent(at('/echo'))
    const there = encodeURIComponent(at(`/r?to=${home}`, 'b.example'))
    const response = await outbound.fetch(at(`/r?to=${there}`), { headers: { authorization: 'Bearer k' } })
    const { headers } = (await response.json()) as { headers: Record<string, string> }
    expect([response.url, headers.authorization]).toEqual([at('/echo'), undefined])
  })

  it('turn a POST into a GET without body as browsers do', async () => {
    const response = await outbound.fetch(at('/r?status=303&to=/echo'), { method: 'POST', body: 'x' })
    expect(await response.json()).toMatchObject({ method: 'GET', body: '' })
  })

  it('are returned or refused on request', async () => {
    const manual = await outbound.fetch(at('/r?to=/echo'), { redirect: 'manual' })
    expect([manual.status, manual.headers.get('location')]).toEqual([307, '/echo'])
    expect(outboundReason(await failureOf(outbound.fetch(at('/r?to=/echo'), { redirect: 'error' })))).toBe('redirect')
  })

  it('show only the given host in errors', async () => {
    const failure = await failureOf(outbound.fetch(at('/r?to=http://missing.example/')))
    expect(outboundReason(failure)).toBe('not_found')
    expect(String(failure)).not.toContain('missing.example')
  })
})

describe('limits and failures', () => {
  const read = async (path: string, request?: OutboundRequest) => (await outbound.fetch(at(path), request)).bytes()

  it.each<[string, string, OutboundRequest, string]>([
    ['an announced body that is too large', '/big', { maxBytes: 1_000 }, 'too_large'],
    ['an unannounced one', '/chunked', { maxBytes: 1_000 }, 'too_large'],
    ['one that grows when unpacked', '/bomb', { maxBytes: 1_000_000 }, 'too_large'],
    ['a silent server', '/silent', { timeoutMs: 100 }, 'timeout'],
    ['a server that stops halfway', '/half', { timeoutMs: 100 }, 'timeout'],
    ['a server that sends slowly without end', '/drip', { timeoutMs: 200 }, 'timeout'],
    ['a server that disconnects halfway', '/cut', {}, 'unreachable'],
    ['an invalid encoding', '/bad-gzip', {}, 'bad_response'],
    ['a status that does not exist', '/999', {}, 'bad_response'],
    ['an unsupported method', '/echo', { method: 'CONNECT' }, 'invalid'],
  ])('%s', async (_claim, path, request, reason) => {
    const failure = await failureOf(read(path, request))
    expect([isFailure(failure, 'validation_error'), outboundReason(failure)]).toEqual([true, reason])
    expect(String(failure)).not.toContain('127.0.0.1')
  })

  it('lets a body of exactly the limit pass', async () => {
    expect(await read('/exact', { maxBytes: 1_000 })).toHaveLength(1_000)
  })

  it.each([
    ['http://missing.example/', 'not_found', {}],
    ['http://empty.example/', 'not_found', {}],
    ['http://slow.example/', 'timeout', { timeoutMs: 300 }],
    ['http://a.example:1/', 'unreachable', {}],
  ])('%s is %s, without the address', async (url, reason, request) => {
    const failure = await failureOf(outbound.fetch(url, request))
    expect(outboundReason(failure)).toBe(reason)
    expect(String(failure)).toContain(new URL(url).hostname)
    expect(String(failure)).not.toContain('127.0.0.1')
  })

  it('fetch and checkUrl do not wait for a resolver that never responds', async () => {
    const impatient = createOutbound(
      { allow: parsePrivateHosts('').allow, loopbackAllowed: false, ownPorts: [] },
      { lookup, connectTimeoutMs: 50 },
    )
    expect(outboundReason(await failureOf(impatient.checkUrl('http://slow.example/')))).toBe('timeout')
    expect(outboundReason(await failureOf(impatient.fetch('http://slow.example/', { timeoutMs: null })))).toBe(
      'timeout',
    )
    await impatient.close()
  })

  it('returns the length and no body for HEAD', async () => {
    const response = await outbound.fetch(at('/exact'), { method: 'HEAD', maxBytes: 10 })
    expect([response.headers.get('content-length'), await response.text()]).toEqual(['1000', ''])
  })

  it('never quotes a header value', async () => {
    const failure = await failureOf(outbound.fetch(at('/echo'), { headers: { authorization: 'Bearer s3cret\nx: y' } }))
    expect([outboundReason(failure), String(failure).includes('s3cret')]).toEqual(['invalid', false])
  })

  it.each(['/silent', '/half'])('rejects with the caller’s abort reason on %s', async (path) => {
    const giveUp = new AbortController()
    const reason = new Error('no longer needed')
    const pending = failureOf(read(path, { signal: giveUp.signal }))
    setTimeout(() => giveUp.abort(reason), 30)
    expect(await pending).toBe(reason)
  })
})

describe('as fetch', () => {
  const guardedFetch = asFetch(outbound)
  const form = new FormData()
  form.set('field', 'value')

  it.each<[string, RequestInit, string, string]>([
    ['text', { method: 'POST', body: 'x' }, 'text/plain;charset=UTF-8', 'x'],
    ['a query', { method: 'POST', body: new URLSearchParams({ a: '1' }) }, 'application/x-www-form-urlencoded', 'a=1'],
    ['a form', { method: 'POST', body: form }, 'multipart/form-data', 'value'],
    ['bytes', { method: 'POST', body: new Uint8Array([120]), headers: { 'content-type': 'a/b' } }, 'a/b', 'x'],
    ['a stream', { method: 'POST', body: new Blob(['x']).stream(), duplex: 'half' }, 'undefined', 'x'],
  ])('sends %s', async (_claim, init, contentType, body) => {
    const response = await guardedFetch(at('/echo'), init)
    expect(response).toBeInstanceOf(Response)
    const seen = (await response.json()) as { headers: Record<string, string>; body: string }
    expect(String(seen.headers['content-type'])).toContain(contentType)
    expect(seen.body).toContain(body)
  })

  it('accepts a URL and a Request', async () => {
    expect((await guardedFetch(new URL(at('/none')))).status).toBe(204)
    const request = new Request(at('/echo'), { method: 'POST', body: 'x', headers: { 'x-a': 'b' } })
    expect(await (await guardedFetch(request)).json()).toMatchObject({
      method: 'POST',
      body: 'x',
      headers: { 'x-a': 'b' },
    })
    expect((await guardedFetch(request.url, { redirect: 'manual' })).status).toBe(200)
  })

  it('applies the limits it was made with', async () => {
    const failure = await failureOf(asFetch(outbound, { maxBytes: 10 })(at('/big')))
    expect(outboundReason(failure)).toBe('too_large')
  })
})
