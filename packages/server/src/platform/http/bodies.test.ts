// Guarantees: bodies without a credential have a small limit, others a large one; numbers that lose digits are
// rejected; and public pages are rendered once.
import { request as send } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { announce, fetchMedia, put } from '#content/files/testing/given.ts'
import { longestPiece, maxPieceMs, minimumOf, watchLoop } from '../../testing/event-loop.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { guestBodyLimitBytes } from './body.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const padded = (bytes: number): string => `{"email":"a@example.com","x":"${'x'.repeat(bytes)}"}`

describe('a body without a credential', () => {
  it.each(['POST /auth/sign-in', 'POST /apps/list', 'POST /nowhere'])(
    'of more than 1 MiB is rejected at %s',
    async (route) => {
      const answer = await world.call(null, route, { body: padded(guestBodyLimitBytes) })
      expect([answer.status, answer.code]).toEqual([413, 'payload_too_large'])
    },
  )

  it('without a content-length has the same limit', async () => {
    const url = await world.listen()
    const status = await new Promise((resolve, reject) => {
      const request = send(`${url}/apps/list`, { method: 'POST', headers: { 'content-type': 'application/json' } })
      request.on('response', (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      request.on('error', reject)
      for (let sent = 0; sent < 3; sent += 1) request.write('x'.repeat(guestBodyLimitBytes / 2))
      request.end()
    })
    expect(status).toBe(413)
  })

  it('below the limit is read', async () => {
    expect((await world.call(null, 'POST /apps/list', { body: { limit: 1 } })).status).toBe(200)
  })
})

it('an authenticated caller may send more', async () => {
  const answer = await world.call('owner', 'POST /apps/list', {
    body: `{"limit":1,"x":"${'x'.repeat(2 * guestBodyLimitBytes)}"}`,
  })
  expect(answer.status).not.toBe(413)
})

describe('concurrent bodies', () => {
  const body = `{"limit":1,"x":"${'x'.repeat(9 * 1024 * 1024)}"}`
  /** Sends the first part of a body. */
  const begin = async (
    who: 'owner' | 'stranger' | 'key:apps:read',
    text: string,
    size: object = { 'content-length': text.length },
  ) => {
    const headers = {
      authorization: `Bearer ${await world.token(who)}`,
      'content-type': 'application/json',
      ...size,
    }
    const request = send(`${await world.listen()}/apps/list`, { method: 'POST', headers })
    request.on('error', () => {})
    const status = new Promise<number | undefined>((resolve) =>
      request.on('response', (response) => resolve(response.resume().statusCode)),
    )
    const half = Math.floor(text.length / 2)
    request.write(text.slice(0, half))
    const finish = () => {
      request.end(text.slice(half))
      return status
    }
    return { status, finish, drop: () => request.destroy() }
  }

  it('a workspace above its limit gets 429 and other workspaces do not', async () => {
    // Seven bodies are 63 MiB.
    const eight = await Promise.all(Array.from({ length: 8 }, () => begin('owner', body)))
    expect(await Promise.race(eight.map(({ status }) => status))).toBe(429)
    expect(await (await begin('stranger', body)).finish()).toBe(200)
    for (const { drop } of eight) drop()
    await expect.poll(async () => (await begin('owner', body)).finish(), { timeout: 10_000 }).toBe(200)
  })

  it('bodies of clients that disconnect during authentication are not counted', async () => {
    await world.prepare('key:apps:read')
    const database = new pg.Client({ connectionString: world.connectionString })
    await database.connect()
    await database.query('begin; lock table api_keys in access exclusive mode')
    // Small enough that the server reads up to the end of the connection.
    const length = { 'content-length': body.length }
    const eight = await Promise.all(Array.from({ length: 8 }, () => begin('key:apps:read', '{ ', length)))
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await database.query(waiting)).rowCount, { timeout: 10_000 }).toBeGreaterThan(0)
    await pause(200)
    for (const { drop } of eight) drop()
    await pause(200)
    await database.query('rollback')
    await database.end()
    expect(await (await begin('key:apps:read', body)).finish()).toBe(200)
  })

  it.each([11, 65, 200])('a body of %i MiB is `payload_too_large`, not `rate_limited`', async (mebibytes) => {
    const headers = { 'content-length': String(mebibytes * 1024 * 1024) }
    const { status, code } = await world.call('owner', 'POST /apps/list', { body: '{}', headers })
    expect([status, code]).toEqual([413, 'payload_too_large'])
  })

  it('small bodies without a content-length do not count as large', async () => {
    const many = await Promise.all(
      Array.from({ length: 20 }, () => begin('owner', '{"limit":1}', { 'transfer-encoding': 'chunked' })),
    )
    const statuses = await Promise.all(many.map(({ finish }) => finish()))
    expect(new Set(statuses)).toEqual(new Set([200]))
  })
})

it.each(['application/json', 'application/x-www-form-urlencoded'])(
  'a file of %s is uploaded as bytes and may exceed the limit of parsed bodies',
  async (type) => {
    const file = await announce(world, 'owner')
    const text = `"${'x'.repeat(11 * 1024 * 1024)}"`
    expect((await put(world, file.upload_url, text, { 'content-type': type })).status).toBe(200)
    expect((await fetchMedia(world, file.uri)).text.length).toBe(text.length)
  },
)

it('a body with 400,000 members is rejected without blocking the event loop', async () => {
  const body = `{${Array.from({ length: 400_000 }, (_, index) => `"name-${index}":1`).join(',')}}`
  const statuses = new Set<number>()
  const longest = await longestPiece(async () => {
    statuses.add((await world.call('owner', 'POST /apps/list', { body })).status)
  })
  expect([...statuses]).toEqual([400])
  expect(longest).toBeLessThan(maxPieceMs)
})

describe('a number that would lose digits', () => {
  const run = (input: string) => world.call('owner', 'POST /run', { body: `{"app":"a/b","input":${input}}` })

  it.each(['{"rows":[{"id":1},{"id":12345678901234567890}]}', '{"rows":[0,1e400]}'])('is named: %s', async (input) => {
    const { status, code, json } = await run(input)
    expect([status, code]).toEqual([400, 'validation_error'])
    expect(json.detail).toMatch(/^input\.rows\.1(\.id)? cannot be represented exactly as .*; send it as text$/)
    expect(json).toMatchObject({ meta: { field: expect.stringMatching(/^input\.rows\.1/) } })
  })

  it('is accepted inside a string', async () => {
    expect((await run('{"id":"12345678901234567890"}')).code).toBe('not_found')
  })
})

it.each(['GET /docs', 'GET /openapi.json', 'GET /docs?q=run'])(
  '%s keeps nobody waiting, not even the first time',
  async (route) => {
    const longest = await minimumOf(async () => {
      const fresh = await createWorld()
      const url = `${await fresh.listen()}${route.slice('GET '.length)}`
      const watch = watchLoop()
      const response = await fetch(url)
      const ms = watch.longest()
      watch.stop()
      expect(response.status).toBe(200)
      await response.arrayBuffer()
      await fresh.close()
      return ms
    })
    expect(longest).toBeLessThan(maxPieceMs)
  },
)
