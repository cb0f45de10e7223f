// Guarantees: slow outgoing requests of one workspace use no more than its share, other workspaces are served
// meanwhile, and a slot is free as soon as a response was read, refused or canceled.
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { isFailure } from '../core/errors.ts'
import { inWork } from '../fairness/work.ts'
import { createOutbound, type Outbound, type OutboundRequest } from './client.ts'
import { parsePrivateHosts } from './policy.ts'

let target: Server
let origin: string
const hanging = new Set<ServerResponse>()

beforeAll(async () => {
  target = createServer((request, response) => {
    if (request.url === '/quick') return void response.end('quick')
    if (request.url === '/half') response.write('first')
    hanging.add(response)
    response.on('close', () => hanging.delete(response))
  })
  await new Promise<void>((done) => target.listen(0, '127.0.0.1', done))
  origin = `http://127.0.0.1:${(target.address() as AddressInfo).port}`
})

const clients: Outbound[] = []
const client = (limits: Partial<{ perTenant: number; maxWaiting: number; waitMs: number }> = {}): Outbound => {
  const made = createOutbound(
    { allow: parsePrivateHosts('127.0.0.1').allow, loopbackAllowed: false, ownPorts: [] },
    { shares: { places: 8, perTenant: 3, maxWaiting: 10, waitMs: 60_000, busyDetail: 'busy', ...limits } },
  )
  clients.push(made)
  return made
}

const asked = (outbound: Outbound, tenant: string, path: string, request: OutboundRequest = {}) =>
  inWork({ kind: 'request', tenant }, () => outbound.fetch(`${origin}${path}`, { timeoutMs: 120_000, ...request }))

afterEach(async () => {
  await Promise.all(clients.splice(0).map((one) => one.close()))
})
afterAll(() => void target.close())

it('limits one workspace to its share while another is served', async () => {
  const outbound = client()
  const slow = Array.from({ length: 7 }, () => asked(outbound, 'flood', '/hang').catch(() => 'ended'))
  await vi.waitFor(() => expect(hanging.size).toBe(3), 60_000)
  for (let round = 0; round < 5; round += 1)
    expect(await (await asked(outbound, 'quiet', '/quick')).text()).toBe('quick')
  expect(hanging.size).toBe(3)
  // When one ends, the next of the same workspace is sent.
  for (let left = 7; left > 0; left -= 1) {
    await vi.waitFor(() => expect(hanging.size).toBe(Math.min(3, left)), 60_000)
    const [first] = hanging
    first?.destroy()
    if (first) hanging.delete(first)
  }
  expect(await Promise.all(slow)).toEqual(Array(7).fill('ended'))
})

it('keeps a slot until the response was read or canceled', async () => {
  const outbound = client({ perTenant: 1 })
  const first = await asked(outbound, 'one', '/half')
  const second = asked(outbound, 'one', '/quick')
  const early = await Promise.race([second.then(() => 'sent'), asked(outbound, 'two', '/quick').then(() => 'waits')])
  expect(early).toBe('waits')
  await first.body?.cancel()
  expect(await (await second).text()).toBe('quick')
})

it('returns `rate_limited` to a workspace at its limit, and stops waiting when the caller aborts', async () => {
  const outbound = client({ perTenant: 1, maxWaiting: 1 })
  const first = asked(outbound, 'one', '/hang').catch(() => 'ended')
  await vi.waitFor(() => expect(hanging.size).toBe(1), 60_000)
  const stop = new AbortController()
  const second = asked(outbound, 'one', '/quick', { signal: stop.signal }).catch((error: unknown) => error)
  const third = await asked(outbound, 'one', '/quick').catch((error: unknown) => error)
  expect(isFailure(third, 'rate_limited')).toBe(true)
  stop.abort(new Error('no longer wanted'))
  expect(await second).toEqual(new Error('no longer wanted'))
  for (const response of hanging) response.destroy()
  expect(await first).toBe('ended')
  expect(await (await asked(outbound, 'one', '/quick')).text()).toBe('quick')
})

it('one person in nine workspaces leaves slots for others', async () => {
  const outbound = createOutbound(
    { allow: parsePrivateHosts('127.0.0.1').allow, loopbackAllowed: false, ownPorts: [] },
    {},
  )
  clients.push(outbound)
  const flood = Array.from({ length: 300 }, (_, index) =>
    inWork({ kind: 'request', tenant: `team ${index % 9}`, person: 'one' }, () =>
      outbound.fetch(`${origin}/hang`, { timeoutMs: 120_000 }).catch(() => 'ended'),
    ),
  )
  await vi.waitFor(() => expect(hanging.size).toBeGreaterThanOrEqual(64), 60_000)
  expect(await (await asked(outbound, 'quiet', '/quick')).text()).toBe('quick')
  expect(hanging.size).toBe(64)
  await outbound.close()
  clients.pop()
  await Promise.all(flood)
})
