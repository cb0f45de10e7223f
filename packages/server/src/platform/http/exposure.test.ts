// Guarantees: internal information is shown only to permitted callers; pages forbid framing and external resources; the
// server reports that it is not ready.
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ownPortsOf } from '#start/platform.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { isOnlyLocal, readSettings } from '../settings/settings.ts'
import { toFailure } from './problem.ts'

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })

describe('a public server behind TLS', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld({
      settings: { HOST: '0.0.0.0', BASE_URL: 'https://mill.example.com', TRUST_PROXY: '127.0.0.1', DOCS: 'off' },
    })
  })
  afterAll(() => world?.close())

  it('shows its metrics to this machine only', async () => {
    expect((await world.call(null, 'GET /metrics')).status).toBe(200)
    const refused = await world.call(null, 'GET /metrics', from('203.0.113.5'))
    expect([refused.status, refused.code]).toEqual([401, 'unauthorized'])
  })

  it.each(['GET /docs', 'GET /guides', 'GET /openapi.json'])('hides %s if configured', async (route) => {
    expect((await world.call(null, route)).status).toBe(404)
  })

  it('sends HSTS', async () => {
    expect((await world.call(null, 'GET /healthz')).headers['strict-transport-security']).toBe('max-age=31536000')
  })
})

it.each([
  ['listens on loopback with a public base URL', { BASE_URL: 'https://mill.example.com' }, {}],
  ['listens publicly', { HOST: '0.0.0.0', BASE_URL: 'https://mill.example.com' }, { 'x-forwarded-for': '203.0.113.5' }],
  ['has a local base URL', {}, { via: '1.1 proxy' }],
])('behind an unconfigured proxy, a server that %s hides its metrics', async (_claim, settings, headers) => {
  const world = await createWorld({ settings })
  const { status, code } = await world.call(null, 'GET /metrics', { headers })
  await world.close()
  expect([status, code]).toEqual([401, 'unauthorized'])
})

describe('a server on this machine', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld({ settings: { METRICS_TOKEN: 'scrape-me-please', TRUST_PROXY: '127.0.0.1' } })
  })
  afterAll(() => world?.close())

  it('with METRICS_TOKEN requires it from every caller', async () => {
    const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
    const statuses = [
      (await world.call(null, 'GET /metrics')).status,
      (await world.call(null, 'GET /metrics', bearer('scrape-me-pleasf'))).status,
      (await world.call(null, 'GET /metrics', bearer('scrape-me-please'))).status,
    ]
    expect(statuses).toEqual([401, 401, 200])
  })

  it('shows every guide with links between them', async () => {
    const { text } = await world.call(null, 'GET /guides')
    const linked = [...text.matchAll(/href="(\/guides\/[a-z-]+)"/g)].map(([, href]) => href)
    expect(linked).toHaveLength(11)
    for (const href of linked) expect((await world.call(null, `GET ${href}`)).text).toContain('<pre>')
    expect((await world.call(null, 'GET /guides/nothing')).status).toBe(404)
    expect((await world.call(null, 'GET /guides/..%2F..%2Fpackage')).status).toBe(404)
  })

  it.each(['GET /docs', 'GET /guides', 'GET /errors/not_found', 'GET /auth/callback/oauth', 'GET /invite/nope'])(
    '%s has a policy that keeps other sites out',
    async (route) => {
      const { headers } = await world.call(null, route, { headers: { accept: 'text/html' } })
      if (!String(headers['content-type']).startsWith('text/html')) return
      expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    },
  )

  it('is not ready while the database does not respond', async () => {
    const { db } = world.open.platform
    const held: (() => void)[] = []
    const holders = Array.from({ length: 8 }, () =>
      db.transaction().execute(async (trx) => {
        await sql`select 1`.execute(trx)
        await new Promise<void>((resolve) => held.push(resolve))
      }),
    )
    await expect.poll(() => held.length).toBe(8)
    const answer = await world.call(null, 'GET /readyz')
    expect([answer.status, answer.code]).toEqual([503, 'unavailable'])
    for (const release of held) release()
    await Promise.all(holders)
    expect((await world.call(null, 'GET /readyz')).status).toBe(200)
  })
})

it.each(['ENOSPC', 'EDQUOT', '53100'])('a full disk (%s) is `storage_full`', (code) => {
  expect(toFailure(Object.assign(new Error('no space left'), { code }))).toMatchObject({
    code: 'storage_full',
    status: 507,
  })
})

describe('requests to this machine on a user’s behalf', () => {
  it.each<[Record<string, string>, boolean]>([
    [{}, true],
    [{ HOST: '::1' }, true],
    [{ HOST: '0.0.0.0' }, false],
    [{ BASE_URL: 'https://mill.example.com' }, false],
    [{ HOST: '0.0.0.0', BASE_URL: 'http://localhost:7700' }, false],
    [{ BASE_URL: 'http://127.0.0.1.example.com' }, false],
  ])('with %o are allowed: %s', (env, allowed) => {
    expect(isOnlyLocal(readSettings(env))).toBe(allowed)
  })

  it('never go to the ports of Millrace itself', () => {
    const ports = ownPortsOf(
      readSettings({ PORT: '7701', BASE_URL: 'https://localhost', DATABASE_URL: 'postgres://u:p@127.0.0.1:5499/x' }),
    )
    expect(ports).toEqual([7701, 443, 5499])
  })
})
