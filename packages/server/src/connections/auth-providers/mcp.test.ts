// Guarantees: the provider of an MCP server follows from the server's metadata (RFC 9728, RFC 8414): resource,
// authorization server, scopes, profile. This installation registers there (RFC 7591) and signs in as a public client
// with PKCE. A second request returns the same provider, and a taken name gets a number.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { createWorld, type World } from '../../testing/world.ts'
import {
  type AuthorizationServer,
  startAuthorizationServer,
  visit,
} from '../credentials/testing/authorization-server.ts'
import { internalSecretValue } from '../secrets/service.ts'
import { ensureMcpProvider } from './mcp.ts'
import { clientMetadataAddress, registerAsClient } from './mcp-client.ts'

/** An MCP server: its answer to an unauthenticated request, and its documents. */
type Resource = {
  address: string
  challenge: { status: number; headers?: Record<string, string> }
  documents: Map<string, object>
  asked: string[]
  close(): Promise<void>
}

const startResource = async (): Promise<Resource> => {
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? ''
    resource.asked.push(`${request.method} ${path}`)
    if (request.method === 'POST') {
      response.writeHead(resource.challenge.status, resource.challenge.headers).end()
      return
    }
    const document = resource.documents.get(path)
    response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(document ?? {}))
  }
  const http = createServer(answer)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const resource: Resource = {
    address: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    challenge: { status: 401 },
    documents: new Map(),
    asked: [],
    close: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  return resource
}

let world: World
let resource: Resource
let server: AuthorizationServer

beforeAll(async () => {
  world = await createWorld()
  resource = await startResource()
  server = await startAuthorizationServer({ resource: `${resource.address}/v1/mcp` })
})
afterAll(async () => {
  await world?.close()
  await resource?.close()
  await server?.close()
})
beforeEach(() => {
  resource.challenge = { status: 401 }
  resource.documents.clear()
  resource.asked.length = 0
})

const ctxOf = (who: 'owner' | 'stranger' = 'owner'): Ctx => {
  const actor: Member = {
    kind: 'session',
    credentialId: 'test',
    userId: world.people[who].userId,
    teamId: who === 'owner' ? world.team.id : world.otherTeam.id,
    role: 'owner',
    isPerson: true,
    personalTeam: false,
    orgId: null,
    orgAdmin: false,
    grant: { kind: 'everything' },
    platform: 'not_staff',
    inPlatformTeam: false,
    expiresAtMs: null,
  }
  return world.ctx().as(actor)
}

const wellKnown = '/.well-known/oauth-protected-resource'

/** The metadata of the resource, at the RFC 9728 address. */
const describeResource = (more: object = {}, path = `${wellKnown}/v1/mcp`) => {
  resource.documents.set(path, {
    resource: `${resource.address}/v1/mcp`,
    authorization_servers: [server.address],
    scopes_supported: ['read', 'write'],
    ...more,
  })
}

let counter = 0
const freshUrl = () => `${resource.address}/v1/mcp?n=${++counter}`

describe('a server that signs in with OAuth', () => {
  it('is discovered, registered and signed in to; the token is for this resource', async () => {
    describeResource()
    const serverUrl = `${resource.address}/v1/mcp`
    const { auth_type, provider } = await ensureMcpProvider(ctxOf(), { serverUrl, name: 'mill' })
    expect(auth_type).toBe('oauth')
    expect(provider).toMatchObject({
      slug: 'mill-mcp',
      provider: 'mill-mcp',
      scope: 'team',
      specs: [
        {
          kind: 'oauth2',
          flow: 'authorization_code',
          authorization_endpoint: `${server.address}/auth`,
          token_endpoint: `${server.address}/token`,
          scopes: ['read', 'write'],
          pkce: true,
          client_auth: 'none',
          resource: serverUrl,
          issuer: server.address,
          callback: 'mcp',
          profile: 'standard',
        },
      ],
    })
    expect(await internalSecretValue(world.open.platform, world.team.id, 'MILL_MCP_CLIENT_ID')).toMatch(/^[\w-]{10,}$/)
    expect(await internalSecretValue(world.open.platform, world.team.id, 'MILL_MCP_CLIENT_SECRET')).toBeNull()

    const begun = await world.call('member', 'POST /credentials', { body: { provider: 'mill-mcp', type: 'mcp' } })
    expect(begun.status, begun.text).toBe(200)
    expect(begun.data.code_verifier).toMatch(/^[\w-]{43}$/)
    expect(new URL(begun.data.auth_url).searchParams.get('resource')).toBe(serverUrl)
    const done = await world.call('member', 'POST /credentials/oauth/complete', {
      body: { provider: 'mill-mcp', type: 'mcp', ...(await visit(begun.data.auth_url)) },
    })
    expect(done.data?.credential, done.text).toMatchObject({
      type: 'mcp',
      status: 'connected',
      scopes: ['read', 'write'],
      metadata: { flow: 'authorization_code', profile: 'standard' },
    })
    const shown = (await world.call('member', 'GET /credentials/configs')).data
    expect(shown.find(({ slug }: { slug: string }) => slug === 'mill-mcp')).toMatchObject({
      type: 'mcp',
      available: true,
    })
  })

  it('asked again, it is the same provider, and the server is left alone', async () => {
    const again = await ensureMcpProvider(ctxOf(), { serverUrl: `${resource.address}/v1/mcp`, name: 'other' })
    expect(again.provider?.slug).toBe('mill-mcp')
    expect(resource.asked).toEqual([])
  })

  it('five at once make one provider', async () => {
    describeResource()
    const serverUrl = freshUrl()
    const made = await Promise.all(
      Array.from({ length: 5 }, () => ensureMcpProvider(ctxOf(), { serverUrl, name: 'race' })),
    )
    expect(new Set(made.map(({ provider }) => provider?.id)).size).toBe(1)
  })

  it('a taken name is numbered', async () => {
    describeResource()
    const slugs: string[] = []
    for (const _ of [1, 2, 3])
      slugs.push((await ensureMcpProvider(ctxOf(), { serverUrl: freshUrl(), name: 'x' })).provider?.slug ?? '')
    expect(slugs).toEqual(['x-mcp', 'x-2-mcp', 'x-3-mcp'])
  })

  it('without a name, the host’s', async () => {
    describeResource()
    expect((await ensureMcpProvider(ctxOf(), { serverUrl: freshUrl() })).provider?.slug).toBe('127-0-0-1-mcp')
  })

  it('what the public directory lists belongs to everyone', async () => {
    describeResource()
    const serverUrl = freshUrl()
    const { provider } = await ensureMcpProvider(ctxOf(), { serverUrl, name: 'listed', isListed: true })
    expect(provider).toMatchObject({ scope: 'platform', team_id: '' })
    const elsewhere = await ensureMcpProvider(ctxOf('stranger'), { serverUrl, name: 'listed' })
    expect(elsewhere.provider?.id).toBe(provider?.id)
    const begun = await world.call('stranger', 'POST /credentials', { body: { provider: 'listed-mcp', type: 'mcp' } })
    expect(begun.status, begun.text).toBe(200)
  })

  it('the challenge says where the metadata is, and which scopes', async () => {
    resource.challenge = {
      status: 401,
      headers: {
        'www-authenticate': `Bearer error="x", resource_metadata="${resource.address}/elsewhere", scope="read"`,
      },
    }
    describeResource({}, '/elsewhere')
    const { provider } = await ensureMcpProvider(ctxOf(), { serverUrl: freshUrl(), name: 'challenge' })
    expect(resource.asked).toContain('GET /elsewhere')
    expect(provider?.specs[0]?.scopes).toEqual(['read'])
  })

  it('metadata at the root that names a part of the site the server lies in', async () => {
    describeResource({ resource: resource.address }, wellKnown)
    const { provider } = await ensureMcpProvider(ctxOf(), { serverUrl: freshUrl(), name: 'root' })
    expect(provider?.specs[0]?.resource).toBe(resource.address)
  })

  it('metadata that names another server is not believed about the resource', async () => {
    describeResource({ resource: 'https://other.example/mcp' })
    const serverUrl = freshUrl()
    const { provider } = await ensureMcpProvider(ctxOf(), { serverUrl, name: 'misnamed' })
    expect(provider?.specs[0]?.resource).toBe(serverUrl)
  })

  it('a client that was registered by hand is taken as it is', async () => {
    describeResource()
    await ensureMcpProvider(ctxOf(), { serverUrl: freshUrl(), name: 'byhand', clientId: 'my-own' })
    expect(await internalSecretValue(world.open.platform, world.team.id, 'BYHAND_MCP_CLIENT_ID')).toBe('my-own')
  })
})

describe('a server without OAuth', () => {
  it('that answers strangers needs no provider', async () => {
    resource.challenge = { status: 200 }
    expect(await ensureMcpProvider(ctxOf(), { serverUrl: freshUrl() })).toEqual({ auth_type: 'none', provider: null })
  })

  it('that wants a credential and names no authorization server takes a key, sent as a bearer value', async () => {
    const serverUrl = freshUrl()
    const { auth_type, provider } = await ensureMcpProvider(ctxOf(), { serverUrl, name: 'keyed' })
    expect(auth_type).toBe('api_key')
    expect(provider?.specs).toEqual([
      {
        kind: 'api_key',
        fields: [{ key: 'API_KEY', label: 'API key', placeholder: '', sensitive: true, optional: false }],
        in: 'header',
        name: 'Authorization',
        prefix: 'Bearer ',
      },
    ])
    const connected = await world.call('member', 'POST /credentials', {
      body: { provider: 'keyed-mcp', type: 'api_key', api_key: 'k' },
    })
    expect(connected.data.credential).toMatchObject({
      status: 'connected',
      metadata: { fields: ['KEYED_MCP_API_KEY'] },
    })
  })

  it('accepts an explicit type', async () => {
    expect((await ensureMcpProvider(ctxOf(), { serverUrl: freshUrl(), authType: 'none' })).auth_type).toBe('none')
    expect(
      (await ensureMcpProvider(ctxOf(), { serverUrl: freshUrl(), name: 'told', authType: 'api_key' })).auth_type,
    ).toBe('api_key')
    expect(resource.asked).toEqual([])
  })
})

describe('refused', () => {
  const refuse = (serverUrl: string, more: object = {}) =>
    expect(ensureMcpProvider(ctxOf(), { serverUrl, name: 'refused', ...more })).rejects

  it('an address that is none', async () => {
    await refuse('mcp').toMatchObject({ code: 'validation_error' })
  })
  it('a private address, and plain http to the world', async () => {
    await refuse('https://10.1.2.3/mcp').toMatchObject({ code: 'validation_error' })
    await refuse('http://mcp.example/').toMatchObject({ code: 'validation_error' })
  })
  it('an authorization server at a private address', async () => {
    describeResource({ authorization_servers: ['https://169.254.169.254'] })
    await refuse(freshUrl()).toMatchObject({ code: 'validation_error' })
  })
  it('OAuth was promised and none is found', async () => {
    await refuse(freshUrl(), { authType: 'oauth' }).toMatchObject({ code: 'validation_error' })
    resource.challenge = { status: 200 }
    await refuse(freshUrl(), { authType: 'oauth' }).toMatchObject({ code: 'validation_error' })
  })

  const otherServer = (metadata: object) => {
    const issuer = resource.address
    describeResource({ authorization_servers: [issuer] })
    resource.documents.set('/.well-known/oauth-authorization-server', {
      issuer,
      authorization_endpoint: `${issuer}/a`,
      token_endpoint: `${issuer}/t`,
      response_types_supported: ['code'],
      ...metadata,
    })
  }

  it('an authorization server without PKCE', async () => {
    otherServer({ code_challenge_methods_supported: ['plain'] })
    await refuse(freshUrl()).toMatchObject({ code: 'validation_error', message: expect.stringContaining('PKCE') })
  })
  it('one that registers nobody, unless a client id is given', async () => {
    otherServer({ code_challenge_methods_supported: ['S256'] })
    await refuse(freshUrl()).toMatchObject({ code: 'validation_error', message: expect.stringContaining('client id') })
    const { provider } = await ensureMcpProvider(ctxOf(), { serverUrl: freshUrl(), name: 'given', clientId: 'c' })
    expect(provider?.slug).toBe('given-mcp')
  })
  it('one that refuses to register', async () => {
    otherServer({ registration_endpoint: `${resource.address}/register` })
    await refuse(freshUrl()).toMatchObject({ code: 'validation_error', message: expect.stringContaining('register') })
  })
  it('one that calls itself otherwise', async () => {
    otherServer({ issuer: 'https://other.example' })
    expect((await ensureMcpProvider(ctxOf(), { serverUrl: freshUrl(), name: 'mixup' })).auth_type).toBe('api_key')
  })
})

it('where the server reads client metadata documents, the document’s address is the client id', async () => {
  const settings = { BASE_URL: 'https://mill.example', APP_URL: 'https://mill.example' }
  const metadata = { issuer: 'https://as.example', client_id_metadata_document_supported: true } as never
  const request = {
    server: metadata,
    located: { address: 'https://as.example', algorithm: 'oauth2' as const },
    slug: 'x-mcp',
  }
  const { outbound } = world.open.platform
  expect(await registerAsClient({ outbound, settings }, request)).toBe(
    'https://mill.example/oauth/client-metadata/x-mcp',
  )
  expect(clientMetadataAddress(settings, 'x-mcp')).toBe('https://mill.example/oauth/client-metadata/x-mcp')
  // A document that is not publicly reachable cannot be a client id.
  const here = { BASE_URL: 'http://127.0.0.1:7700', APP_URL: 'http://127.0.0.1:7700' }
  await expect(registerAsClient({ outbound, settings: here }, request)).rejects.toMatchObject({
    code: 'validation_error',
  })
})
