// Guarantees: an unknown program signs a person in by itself: it finds the sign-in, registers, the person chooses its
// access, and its key has exactly that access until it is revoked. A code works once, for its client.
import { createHash } from 'node:crypto'
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scenarios } from '../../../testing/scenarios.ts'
import { createWorld, type World } from '../../../testing/world.ts'
import { consentChoices } from './request.ts'

const home = 'http://127.0.0.1:7700'
const callback = 'http://localhost:3334/callback'
const verifier = 'v'.repeat(43)
const challenge = createHash('sha256').update(verifier).digest('base64url')
const asForm = { 'content-type': 'application/x-www-form-urlencoded' }
const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString()

const register = async (world: World, body: object = {}): Promise<string> => {
  const answer = await world.call(null, 'POST /oauth/register', {
    body: { client_name: 'Tool <b>Box', redirect_uris: [callback], ...body },
  })
  if (answer.status !== 201) throw new Error(answer.text)
  return String(answer.json.client_id)
}

const requestOf = (clientId: string, more: Record<string, string> = {}) => ({
  response_type: 'code',
  client_id: clientId,
  redirect_uri: callback,
  state: 's-1',
  code_challenge: challenge,
  code_challenge_method: 'S256',
  ...more,
})

const choice = (world: World, more: Record<string, string> = {}) => ({
  team_id: world.team.id,
  access: 'read',
  lifetime: '3600',
  decision: 'approve',
  ...more,
})

const answerForm = (
  world: World,
  fields: Record<string, string>,
  as: 'browser:owner' | 'browser:member' = 'browser:owner',
) => world.call(as, 'POST /oauth/authorize', { headers: asForm, body: form(fields) })

const sentTo = ({ headers }: { headers: Record<string, unknown> }) => new URL(String(headers.location))

const codeFor = async (world: World, clientId: string, more: Record<string, string> = {}): Promise<string> => {
  const answer = await answerForm(world, { ...requestOf(clientId), ...choice(world), ...more })
  const code = answer.status === 303 ? sentTo(answer).searchParams.get('code') : null
  if (!code) throw new Error(`${answer.status} ${answer.text}`)
  return code
}

const exchange = (world: World, clientId: string, code: string, more: Record<string, string> = {}) =>
  world.call(null, 'POST /oauth/token', {
    headers: asForm,
    body: form({
      grant_type: 'authorization_code',
      code,
      client_id: clientId,
      redirect_uri: callback,
      code_verifier: verifier,
      ...more,
    }),
  })

scenarios('oauth.register', () => null, [
  {
    claim: 'a public client',
    as: null,
    body: {
      client_name: 'Box',
      redirect_uris: [callback, 'cursor://anysphere/cb'],
      token_endpoint_auth_method: 'none',
    },
    status: 201,
    check: ({ json }) =>
      expect(json).toMatchObject({
        client_id: expect.stringMatching(/^[0-9a-z]{26}$/),
        redirect_uris: [callback, 'cursor://anysphere/cb'],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code'],
      }),
  },
  ...['http://evil.example/cb', 'javascript:alert(1)', 'https://x.example/#f', 'https://a@x.example/', 'nowhere'].map(
    (uri) => ({
      claim: `sent back to ${uri}`,
      as: null,
      body: { redirect_uris: [uri] },
      status: 400,
      code: 'invalid_redirect_uri',
    }),
  ),
  { claim: 'without an address', as: null, body: { client_name: 'Box' }, status: 400, code: 'invalid_request' },
  {
    claim: 'a name and a website that would change the text of the consent page',
    as: null,
    body: {
      client_name: '\u202eBox\n\u200bInc.',
      client_uri: 'https://box.example/\u202ea b',
      redirect_uris: [callback],
    },
    status: 201,
    check: ({ json }) =>
      expect(json).toMatchObject({ client_name: 'Box Inc.', client_uri: 'https://box.example/%E2%80%AEa%20b' }),
  },
  ...['http://box.example/', 'javascript:alert(1)', 'box'].map((client_uri) => ({
    claim: `a website at ${client_uri} is left out`,
    as: null,
    body: { client_uri, redirect_uris: [callback] },
    status: 201,
    check: ({ json }: { json: object }) => expect(json).not.toHaveProperty('client_uri'),
  })),
  {
    claim: 'one network cannot exceed the limit with simultaneous requests',
    as: null,
    status: 400,
    code: 'slow_down',
    act: async (world) => {
      const register = () => world.call(null, 'POST /oauth/register', { body: { redirect_uris: [callback] } })
      const answers = await Promise.all(Array.from({ length: 90 }, register))
      expect(answers.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(30)
      return register()
    },
  },
  {
    claim: 'one network registers so many an hour',
    as: null,
    status: 400,
    code: 'slow_down',
    act: async (world) => {
      for (let made = 0; made < 30; made += 1)
        await world.call(null, 'POST /oauth/register', { body: { redirect_uris: [callback] } })
      return world.call(null, 'POST /oauth/register', { body: { redirect_uris: [callback] } })
    },
  },
])

describe('signing a person in', () => {
  let world: World
  let address = ''
  beforeAll(async () => {
    world = await createWorld()
    address = await world.listen()
  })
  afterAll(() => world?.close())

  it('an independent client finds the sign-in, registers, is let in, and calls five tools', async () => {
    let saved: Record<string, unknown> | undefined
    let tokens: Record<string, unknown> | undefined
    let kept = ''
    let visited: URL | undefined
    const authProvider = {
      redirectUrl: callback,
      clientMetadata: { client_name: 'Foreign client', redirect_uris: [callback] },
      clientInformation: () => saved,
      saveClientInformation: (info: Record<string, unknown>) => {
        saved = info
      },
      tokens: () => tokens,
      saveTokens: (given: Record<string, unknown>) => {
        tokens = given
      },
      redirectToAuthorization: (url: URL) => {
        visited = url
      },
      saveCodeVerifier: (text: string) => {
        kept = text
      },
      codeVerifier: () => kept,
    }
    const transport = () =>
      new StreamableHTTPClientTransport(new URL(`${home}/mcp`), {
        authProvider: authProvider as never,
        // The server listens on a free port but uses its configured address.
        fetch: ((url: string | URL, init?: RequestInit) => fetch(String(url).replace(home, address), init)) as never,
      })
    const first = transport()
    const client = new Client({ name: 'foreign', version: '1' })
    await expect(client.connect(first as never)).rejects.toThrow(UnauthorizedError)
    if (!visited) throw new Error('The client sent nobody to the sign-in')
    expect(visited.origin + visited.pathname).toBe(`${home}/oauth/authorize`)

    const page = await world.call('browser:owner', `GET ${visited.pathname}${visited.search}`)
    expect(page.status, page.text).toBe(200)
    expect(page.text).toContain('Foreign client')
    const answer = await answerForm(world, {
      ...Object.fromEntries(visited.searchParams),
      ...choice(world, { access: 'standard' }),
    })
    expect(sentTo(answer).searchParams.get('iss')).toBe(home)
    await first.finishAuth(sentTo(answer).searchParams.get('code') ?? '')

    const signedIn = new Client({ name: 'foreign', version: '1' })
    await signedIn.connect(transport() as never)
    const call = async (name: string, given: Record<string, unknown> = {}) => {
      const result = await signedIn.callTool({ name, arguments: given })
      expect(result.isError, JSON.stringify(result.content)).not.toBe(true)
      return result.structuredContent as Record<string, unknown>
    }
    const project = await call('projects_create', { name: 'From afar', type: 'other' })
    expect((await call('projects_get', { id: project.id })).name).toBe('From afar')
    expect(await call('projects_list', { limit: 5 })).toMatchObject({ items: [{ id: project.id }] })
    expect(await call('search_query', { q: 'anything' })).toBeTruthy()
    expect(await call('projects_delete', { id: project.id })).toEqual({ success: true })

    const names = (await signedIn.listTools()).tools.map(({ name }) => name)
    expect(names).not.toContain('apikeys_create')
    expect(names).toContain('secrets_list')
    expect(names).not.toContain('secrets_reveal')
    await world.call('owner', 'POST /secrets', { body: { key: 'HIDDEN_KEY', value: 'hidden-value-0123456789' } })
    const revealing = signedIn.callTool({ name: 'secrets_reveal', arguments: { key: 'HIDDEN_KEY' } })
    await expect(revealing).rejects.toThrow('Unknown tool: secrets_reveal')
    await signedIn.close()

    const token = String(tokens?.access_token)
    expect((await world.call({ token }, 'GET /me')).code ?? 'ok').toMatch(/ok|requires_sign_in/)
    await world.call(null, 'POST /oauth/revoke', { headers: asForm, body: form({ token }) })
    expect((await world.call({ token }, 'GET /projects')).code).toBe('unauthorized')
  })

  it('the page names the program as text, shows scopes by preset, and lets the answer leave only to the program', async () => {
    const clientId = await register(world)
    const query = new URLSearchParams(requestOf(clientId)).toString()
    const page = await world.call('browser:owner', `GET /oauth/authorize?${query}`)
    expect(page.text).toContain('Tool &#60;b&#62;Box')
    for (const preset of ['standard', 'run-only', 'read']) expect(page.text).toContain(`access-${preset}`)
    expect(page.headers['content-security-policy']).toContain("form-action 'self' http://localhost:3334")
    const signedOut = await world.call(null, `GET /oauth/authorize?${query}`)
    expect([signedOut.status, signedOut.headers.location]).toEqual([
      303,
      expect.stringContaining('/sign-in?redirect_to='),
    ])
  })

  it('what a program asks for is the first choice; what no app may hold is not among it', () => {
    const [first] = consentChoices(['apps:read'])
    expect(first).toMatchObject({ id: 'asked', scopes: ['apps:read'] })
    for (const { scopes = [] } of consentChoices([]))
      for (const never of ['approvals:write', 'secrets:reveal', 'engines:write', 'apikeys:write'])
        expect(scopes).not.toContain(never)
  })

  it('the key holds what was chosen, for as long as was chosen', async () => {
    const clientId = await register(world)
    const { json, status } = await exchange(world, clientId, await codeFor(world, clientId))
    expect(status).toBe(200)
    expect(json).toMatchObject({ token_type: 'Bearer', expires_in: 3600, team_id: world.team.id })
    expect(String(json.scope).split(' ')).toContain('apps:read')
    const token = String(json.access_token)
    expect((await world.call({ token }, 'GET /projects')).status).toBe(200)
    const write = await world.call({ token }, 'POST /projects', { body: { name: 'P', type: 'other' } })
    expect(write.code).toBe('insufficient_scope')
    world.clock.advance(3_600_001)
    expect((await world.call({ token }, 'GET /projects')).code).toBe('unauthorized')
  })

  it('the key says which program has it, and is renewed by nobody but the program', async () => {
    const clientId = await register(world)
    await exchange(world, clientId, await codeFor(world, clientId))
    const { data } = await world.call('owner', 'GET /apikeys')
    const key = data.items.find(({ source }: { source: string }) => source === `oauth:${clientId}`)
    expect(key).toMatchObject({ scope: 'user' })
    expect((await world.call('owner', `POST /apikeys/${key?.id}/rotate`)).code).toBe('invalid_state')
  })

  it('a code that is shown twice takes back what it gave, and nothing that another gave', async () => {
    const clientId = await register(world)
    const code = await codeFor(world, clientId)
    const { json } = await exchange(world, clientId, code)
    const { json: another } = await exchange(world, clientId, await codeFor(world, clientId))
    expect((await exchange(world, clientId, code)).code).toBe('invalid_grant')
    expect((await world.call({ token: String(json.access_token) }, 'GET /projects')).code).toBe('unauthorized')
    expect((await world.call({ token: String(another.access_token) }, 'GET /projects')).status).toBe(200)
  })

  it.each([
    ['another verifier', { code_verifier: 'w'.repeat(43) }],
    ['another address', { redirect_uri: 'http://localhost:3334/other' }],
    ['another code', { code: 'x'.repeat(43) }],
  ])('%s is refused, and the code still works with the right value', async (_claim, wrong) => {
    const clientId = await register(world)
    const code = await codeFor(world, clientId)
    expect((await exchange(world, clientId, code, wrong)).code).toBe('invalid_grant')
    expect((await exchange(world, clientId, code)).status).toBe(200)
  })

  it('another program cannot use the code, and after five minutes nobody can', async () => {
    const [mine, theirs] = [await register(world), await register(world)]
    const code = await codeFor(world, mine)
    expect((await exchange(world, theirs, code)).code).toBe('invalid_grant')
    world.clock.advance(300_001)
    expect((await exchange(world, mine, code)).code).toBe('invalid_grant')
    expect((await exchange(world, mine, '')).code).toBe('invalid_request')
  })

  it.each([
    ['no proof key', { code_challenge: '' }, 'invalid_request'],
    ['a plain one', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a token at once', { response_type: 'token' }, 'unsupported_response_type'],
    ['another resource', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
  ])('%s: the program receives the error', async (_claim, wrong, error) => {
    const clientId = await register(world)
    const query = new URLSearchParams(requestOf(clientId, wrong)).toString()
    const answer = await world.call('browser:owner', `GET /oauth/authorize?${query}`)
    expect(answer.status).toBe(303)
    expect(Object.fromEntries(sentTo(answer).searchParams)).toEqual({ error, state: 's-1', iss: home })
  })

  it('a person who refuses sends the program away', async () => {
    const clientId = await register(world)
    const answer = await answerForm(world, { ...requestOf(clientId), ...choice(world, { decision: 'deny' }) })
    expect(sentTo(answer).searchParams.get('error')).toBe('access_denied')
  })

  it('nobody is sent to an address that was not registered', async () => {
    const clientId = await register(world)
    for (const wrong of [{ redirect_uri: 'https://evil.example/cb' }, { client_id: 'nobody' }]) {
      const query = new URLSearchParams({ ...requestOf(clientId), ...wrong }).toString()
      const answer = await world.call('browser:owner', `GET /oauth/authorize?${query}`)
      expect([answer.status, answer.headers.location]).toEqual([400, undefined])
    }
    const otherPort = new URLSearchParams(requestOf(clientId, { redirect_uri: 'http://localhost:9999/callback' }))
    expect((await world.call('browser:owner', `GET /oauth/authorize?${otherPort}`)).status).toBe(200)
  })

  it.each([
    ['from another site', { origin: 'https://evil.example' }, 401],
    ['from nowhere', { origin: 'null' }, 401],
  ])('a form %s does not count', async (_claim, headers, status) => {
    const clientId = await register(world)
    const body = form({ ...requestOf(clientId), ...choice(world) })
    const answer = await world.call('browser:owner', 'POST /oauth/authorize', {
      headers: { ...asForm, ...headers },
      body,
    })
    expect(answer.status).toBe(status)
  })

  it.each([
    ['a workspace of others', (w: World) => ({ team_id: w.otherTeam.id }), 403],
    ['full access', () => ({ access: 'full' }), 400],
    ['for ever', () => ({ lifetime: '999999999' }), 400],
  ])('%s is not among the choices', async (_claim, wrong, status) => {
    const clientId = await register(world)
    const answer = await answerForm(world, { ...requestOf(clientId), ...choice(world), ...wrong(world) })
    expect(answer.status).toBe(status)
  })
})
