// Guarantees: the conventions of every route: envelope, problems, bodies, cross-origin rules, unknown routes.
import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { errorTable } from '@millrace/contract/errors'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { givenApp } from '#execution/tasks/testing/given.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { refuseUnreadable } from './problem.ts'

/** Returns the response to arbitrary bytes. */
const exchange = (address: string, bytes: string): Promise<string> =>
  new Promise((resolve) => {
    let answer = ''
    const socket = connect(Number(new URL(address).port), '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      answer += chunk
    })
    // The server may close the connection while the client still sends; data received before counts.
    socket.on('error', () => {}).on('close', () => resolve(answer))
  })

let world: World
beforeAll(async () => {
  world = await createWorld({
    settings: {
      BASE_URL: 'https://api.example.com',
      APP_URL: 'https://app.example.com',
      EXTRA_APP_ORIGINS: 'https://extra.example.com',
    },
  })
})
afterAll(() => world?.close())

describe('responses', () => {
  it('a success has data, messages and a success flag', async () => {
    const { json, status } = await world.call('owner', 'GET /teams')
    expect(status).toBe(200)
    expect(Object.keys(json)).toEqual(['success', 'data', 'messages'])
  })
  it('a stream has its messages in a header', async () => {
    const app = await givenApp(world)
    const leave = new AbortController()
    const { headers } = await fetch(`${await world.listen()}/run`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await world.token('owner')}`,
        'x-team-id': world.team.id,
        'content-type': 'application/json',
      },
      // No engine is connected.
      body: JSON.stringify({ app_id: app.id, input: { text: 'hi' }, stream: true }),
      signal: leave.signal,
    })
    leave.abort()
    expect(JSON.parse(decodeURIComponent(headers.get('x-messages') ?? ''))).toMatchObject([{ code: 'no_engine' }])
  })
  it('a failure is problem+json and its type is the URL of a page', async () => {
    const answer = await world.call('owner', 'GET /teams/nope')
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect(answer.json).toMatchObject({
      type: 'https://api.example.com/errors/not_found',
      title: 'Not found',
      status: 404,
    })
    const page = await world.call(null, 'GET /errors/not_found')
    expect(page.text).toContain('<code>not_found</code>')
  })
  it.each(Object.keys(errorTable))('the code %s has a page', async (code) => {
    expect((await world.call(null, `GET /errors/${code}`)).status).toBe(200)
  })
  it('an unknown route and an unknown method are problems too', async () => {
    expect(await world.call(null, 'GET /no/such/route')).toMatchObject({ status: 404, code: 'not_found' })
    const answer = await world.call(null, 'PUT /teams')
    expect(answer).toMatchObject({ status: 405, code: 'method_not_allowed' })
    expect(answer.headers.allow).toBe('GET, POST')
  })
  it.each(['POST /artifacts/4km0dy7k/comments', 'POST /artifacts/4km0dy7k/assets', 'PUT /artifacts/4km0dy7k/data'])(
    '%s is no route, although something might be called so',
    async (route) => {
      expect(await world.call('owner', route as 'POST /artifacts')).toMatchObject({ status: 404, code: 'not_found' })
    },
  )
  it.each([
    `GET /tasks/${'a'.repeat(65)}`,
    `GET /apps/${'a'.repeat(300)}`,
    `GET /apps/${'a'.repeat(300)}/${'b'.repeat(300)}`,
    `GET /secrets/${'A'.repeat(129)}`,
    `POST /triggers/${'a'.repeat(65)}/hook`,
    'GET /tasks/%00',
  ])('%s: an impossible name is not found', async (route) => {
    expect(await world.call('owner', route as 'GET /tasks')).toMatchObject({ status: 404, code: 'not_found' })
  })
  it('a path that cannot be decoded is a problem with the headers of every response', async () => {
    const origin = 'https://evil.example.org'
    const answer = await world.call('owner', 'GET /secrets/%E0%A4%A', { headers: { origin } })
    expect(answer).toMatchObject({ status: 400, code: 'invalid_request' })
    expect(answer.headers).toMatchObject({
      'content-type': 'application/problem+json',
      'access-control-allow-origin': origin,
      'x-request-id': expect.any(String),
    })
  })
  it.each([
    {
      claim: 'bytes that are not a request',
      bytes: 'GET / HTTP/1.1\r\nHo st: x\r\n\r\n',
      detail: /not an HTTP request/,
    },
    { claim: 'headers without end', bytes: `GET / HTTP/1.1\r\nX: ${'a'.repeat(70_000)}\r\n\r\n`, detail: /too large/ },
  ])('$claim are answered with a problem', async ({ bytes, detail }) => {
    const answer = await exchange(await world.listen(), bytes)
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/problem\+json\r\n/)
    expect(answer).toContain('"type":"https://api.example.com/errors/invalid_request"')
    expect(answer).toMatch(detail)
  })
  it('an unused connection is closed without a response', async () => {
    const socket = new PassThrough()
    refuseUnreadable({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, socket, 'https://api.example.com')
    expect([socket.destroyed, socket.readableLength]).toEqual([true, 0])
  })
  it('every response has its own request id', async () => {
    const [one, two] = [await world.call(null, 'GET /scopes'), await world.call(null, 'GET /scopes')]
    expect(one.headers['x-request-id']).not.toBe(two.headers['x-request-id'])
  })
})

describe('bodies', () => {
  const json = { 'content-type': 'application/json' }
  it('an empty JSON body reads as {}', async () => {
    const { status } = await world.call('owner', 'POST /apikeys/list', { body: '', headers: json })
    expect(status).toBe(200)
  })
  it('null for an optional field means absent', async () => {
    const { status, data } = await world.call('owner', 'POST /apikeys', {
      body: { name: 'n', scopes: null, expires_at: null },
    })
    expect(status).toBe(200)
    expect(data.expires_at).toBeUndefined()
  })
  it.each(['POST /flows', 'POST /apps', 'POST /agents'])(
    '%s counts a description that is far too long',
    async (route) => {
      const description = 'x'.repeat(120_000)
      const body = { name: 'wordy', description, version: { description } }
      const { status, json } = await world.call('owner', route, { body })
      expect(status).toBe(400)
      expect(json.detail).toBe('description must be at most 200 characters, got 120000')
    },
  )
  it('null for an optional field inside a record means absent', async () => {
    const { status, data } = await world.call('owner', 'POST /agents', {
      body: { name: 'nulls', version: { internal_tools: { plan: null, memory: true }, example_prompts: null } },
    })
    expect(status).toBe(200)
    expect(data.version.internal_tools).not.toHaveProperty('plan', null)
    const app = { name: 'nulls', version: { functions: { run: { description: null, input_schema: {} } } } }
    expect((await world.call('owner', 'POST /apps', { body: app })).json).toMatchObject({ success: true })
  })
  const refused: { claim: string; body: string; headers?: Record<string, string>; status: number; code: string }[] = [
    { claim: 'broken JSON', body: '{', status: 400, code: 'invalid_request' },
    { claim: 'a body that is not an object', body: '[]', status: 400, code: 'invalid_request' },
    { claim: 'a NUL character', body: '{"name":"a\\u0000b"}', status: 400, code: 'invalid_request' },
    { claim: 'a lone surrogate', body: '{"name":"\\ud800"}', status: 400, code: 'invalid_request' },
    { claim: 'a __proto__ key', body: '{"name":"x","__proto__":{}}', status: 400, code: 'invalid_request' },
    {
      claim: 'JSON nested very deeply',
      body: `{"name":${'['.repeat(6000)}${']'.repeat(6000)}}`,
      status: 400,
      code: 'invalid_request',
    },
    {
      claim: 'a form on a JSON route',
      body: 'name=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      status: 415,
      code: 'unsupported_media_type',
    },
    {
      claim: 'another content type',
      body: '<x/>',
      headers: { 'content-type': 'application/xml' },
      status: 415,
      code: 'unsupported_media_type',
    },
    {
      claim: 'more than 10 MiB',
      body: JSON.stringify({ name: 'x'.repeat(10 * 1024 * 1024) }),
      status: 413,
      code: 'payload_too_large',
    },
  ]
  it.each(refused)('$claim is rejected', async ({ body, headers, status, code }) => {
    expect(await world.call('owner', 'POST /apikeys', { body, headers: headers ?? json })).toMatchObject({
      status,
      code,
    })
  })
  it('bytes that are not UTF-8 are rejected', async () => {
    const body = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])
    const answer = await fetch(`${await world.listen()}/apikeys`, {
      method: 'POST',
      headers: { ...json, authorization: `Bearer ${world.people.owner.token}` },
      body,
    })
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({
      status: 400,
      body: { type: 'https://api.example.com/errors/invalid_request', detail: 'The body must be UTF-8' },
    })
  })
  it('a client that still sends a body that is too large can read the refusal', async () => {
    const address = await world.listen()
    for (let round = 0; round < 5; round += 1) {
      const answer = await fetch(`${address}/apikeys`, {
        method: 'POST',
        headers: { ...json, authorization: `Bearer ${world.people.owner.token}` },
        body: 'x'.repeat(30 * 1024 * 1024),
      })
      expect(answer.status).toBe(413)
      expect(await answer.json()).toMatchObject({ detail: 'The body must not exceed 10485760 bytes' })
    }
  })
  it('an invalid field is named', async () => {
    const { json: problem, code } = await world.call('owner', 'POST /apikeys', { body: { name: 5 } })
    expect({ code, detail: problem.detail }).toEqual({ code: 'validation_error', detail: 'name must be string' })
    const blank = await world.call('owner', 'POST /apikeys', { body: { name: '  ' } })
    expect(blank.json.detail).toBe('name must not be blank')
  })
  it('unknown fields are ignored', async () => {
    const { status } = await world.call('owner', 'POST /apikeys', { body: { name: 'x', surprise: 1 } })
    expect(status).toBe(200)
  })
  it('X-API-Version 2 returns the bare resource', async () => {
    for (const version of [undefined, '1', '2.0', '3'])
      expect(
        (await world.call('owner', 'GET /teams', { headers: version ? { 'x-api-version': version } : {} })).json,
      ).toEqual({ success: true, data: expect.any(Array), messages: [] })
    const { json: bare } = await world.call('owner', 'GET /teams', { headers: { 'x-api-version': '2' } })
    expect(bare).toContainEqual(expect.objectContaining({ username: 'mill', role: 'owner' }))
  })
  it('a refusal is a problem for every version', async () => {
    const { status, code } = await world.call(null, 'GET /teams', { headers: { 'x-api-version': '2' } })
    expect({ status, code }).toEqual({ status: 401, code: 'unauthorized' })
  })
})

describe('a browser', () => {
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  it.each([
    ['GET /nowhere/<b>', 404, 'Route GET'],
    ['GET /teams', 401, 'unauthorized'],
  ])('%s gets a page, not JSON', async (route, status, words) => {
    const answer = await world.call(null, route as 'GET /teams', { headers: browser })
    expect([answer.status, answer.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8'])
    expect(answer.text).toContain(words)
    expect(answer.text).not.toContain('<b>')
    expect(answer.text).toContain('<nav')
    expect(answer.headers.vary).toContain('Accept')
  })
  it.each([
    '*/*',
    'application/json, text/html',
    'application/json, text/plain, */*',
    'text/html;q=0.5, application/problem+json',
  ])('a program that takes %s gets the problem', async (accept) => {
    const { headers } = await world.call(null, 'GET /nowhere', { headers: { accept } })
    expect(headers['content-type']).toBe('application/problem+json')
  })
  it('gets an icon for its tab', async () => {
    const { status, headers } = await world.call(null, 'GET /favicon.svg')
    expect([status, headers['content-type']]).toEqual([200, 'image/svg+xml'])
  })
})

describe('cross-origin rules', () => {
  const table = [
    { origin: 'https://app.example.com', credentials: 'true' },
    { origin: 'https://extra.example.com', credentials: 'true' },
    { origin: 'https://evil.example.org', credentials: undefined },
  ]
  it.each(table)('$origin is echoed, credentials $credentials', async ({ origin, credentials }) => {
    const { headers } = await world.call(null, 'GET /scopes', { headers: { origin } })
    expect(headers['access-control-allow-origin']).toBe(origin)
    expect(headers['access-control-allow-credentials']).toBe(credentials)
    expect(headers['access-control-expose-headers']).toBe('Link, Retry-After')
  })
  it('a preflight names the methods and headers', async () => {
    const { status, headers } = await world.call(null, 'OPTIONS /apikeys', {
      headers: { origin: 'https://evil.example.org', 'access-control-request-method': 'POST' },
    })
    expect(status).toBe(204)
    expect(headers['access-control-allow-methods']).toBe('GET, POST, PUT, DELETE, OPTIONS, HEAD')
    expect(headers['access-control-allow-headers']).toBe(
      'Accept, Authorization, Content-Type, X-CSRF-Token, X-Team-ID, X-Client-Source, X-API-Version, Idempotency-Key, Last-Event-ID',
    )
  })
  it('an early refusal has the headers that let a page read it', async () => {
    const answer = await world.call({ token: 'mill-broken' }, 'GET /teams', {
      headers: { origin: 'https://evil.example.org' },
    })
    expect(answer.status).toBe(401)
    expect(answer.headers['access-control-allow-origin']).toBe('https://evil.example.org')
  })
})
