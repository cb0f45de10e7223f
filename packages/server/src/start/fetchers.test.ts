// Guarantees: all code that fetches user-chosen URLs uses the guarded client, so none connects to a hostile host by
// name, redirect or DNS rebinding. A file that fetches and is not in the table fails, and so does an entry that would
// not connect to a permitted host.
import { createServer, type Server } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import type { OAuth2Spec } from '@millrace/contract/auth-providers'
import { newId } from '@millrace/contract/ids'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { callHandler } from '#agents/chats/tools/call-handler.ts'
import { callHook } from '#agents/chats/tools/call-hook.ts'
import { callHttp } from '#agents/chats/tools/call-http.ts'
import { fetchSkill } from '#agents/chats/tools/fetch-skill.ts'
import { withSession } from '#agents/mcp-servers/session.ts'
import { registerAsClient } from '#connections/auth-providers/mcp-client.ts'
import { discoverMcp } from '#connections/auth-providers/mcp-discovery.ts'
import { deriveIdentity } from '#connections/credentials/identity.ts'
import { fetchClientCredentials } from '#connections/credentials/oauth-client.ts'
import { findSiteIcon } from '#connections/secrets/service.ts'
import { createEndpointEmbedder } from '#content/search/embedding/endpoint.ts'
import { createConnector } from '#execution/connectors/service.ts'
import { insertDelivery } from '#execution/tasks/webhook-store.ts'
import { deliverWebhook } from '#execution/tasks/webhooks.ts'
import type { Member } from '#platform/core/actor.ts'
import { type Ctx, createCtx, type Platform } from '#platform/core/ctx.ts'
import { createOutbound } from '#platform/outbound/client.ts'
import type { Lookup } from '#platform/outbound/connector.ts'
import { parsePrivateHosts } from '#platform/outbound/policy.ts'
import { readSource, sourceFiles } from '../../../../scripts/source-files.ts'
import { hostileHosts } from '../testing/hostile-hosts.ts'
import { createWorld, type World } from '../testing/world.ts'

type Fetcher = (ctx: Ctx<Member>, url: string) => Promise<unknown>

const toolParts = { versionId: newId(), isSameTeam: true, agentId: null, context: {}, traceparent: '' }
const schemas = { input_schema: {}, output_schema: {} }
const tokens = { accessToken: 't', refreshToken: null, idToken: null, expiresInSeconds: null, scopes: null, answer: {} }

const oauth = (url: string): OAuth2Spec => ({
  kind: 'oauth2',
  flow: 'client_credentials',
  token_endpoint: url,
  scopes: [],
  pkce: false,
  client_auth: 'body',
})

const fetchers: Record<string, Fetcher> = {
  'connections/secrets/site-icon.ts': ({ outbound }, url) => findSiteIcon(outbound, url),
  'execution/tasks/webhooks.ts': async (ctx, url) => {
    const delivery = { id: newId(), team_id: ctx.actor.teamId, task_id: newId(), url, event: 'task.completed' }
    await insertDelivery(ctx.db, { ...delivery, body: '{}' })
    await deliverWebhook(ctx)({ id: delivery.id, attempt: 0 })
  },
  'agents/chats/tools/call-http.ts': (ctx, url) =>
    callHttp(ctx, { name: 'tool', type: 'http' }, { url, method: 'POST', ...schemas }, {}, toolParts),
  'agents/chats/tools/call-hook.ts': (ctx, url) =>
    callHook(
      ctx,
      { name: 'tool', type: 'hook', hook: { url, ...schemas } },
      { id: newId(), name: 'tool', chatId: newId(), arguments: {}, token: 't' },
      toolParts,
    ),
  'agents/chats/tools/call-handler.ts': (ctx, url) =>
    callHandler(ctx, { event: 'agent.start', type: 'webhook', handler: url }, {}, ''),
  'agents/chats/tools/fetch-skill.ts': (ctx, url) =>
    fetchSkill(ctx, [{ name: 'skill', description: '', url }], 'skill'),
  'content/search/embedding/endpoint.ts': ({ outbound }, url) =>
    createEndpointEmbedder(outbound, { address: url, key: undefined }).embed(['text'], 20_000),
  'connections/credentials/identity.ts': (ctx, url) =>
    deriveIdentity(
      ctx,
      {
        ...oauth(url),
        userinfo_url: url,
        userinfo_identifier_path: 'id',
        userinfo_name_path: 'name',
      },
      tokens,
    ),
  'connections/credentials/oauth-client.ts': (ctx, url) =>
    fetchClientCredentials(
      ctx,
      {
        spec: oauth(url),
        clientId: 'c',
        clientSecret: 's',
        displayName: 'Service',
      },
      [],
    ),
  'connections/auth-providers/mcp-discovery.ts': ({ outbound }, url) => discoverMcp(outbound, url),
  'connections/auth-providers/mcp-client.ts': ({ outbound, settings }, url) =>
    registerAsClient(
      { outbound, settings },
      {
        server: { issuer: url, registration_endpoint: url },
        located: { address: url, algorithm: 'oauth2' },
        slug: 'service',
      },
    ),
  'execution/connectors/service.ts': (ctx, url) => createConnector(ctx, { openapi: { url } }),
  'agents/mcp-servers/session.ts': (ctx, url) =>
    withSession(ctx, { serverUrl: url, credential: null }, { timeoutMs: 20_000 }, async () => undefined),
}

/** Files that only check addresses, or connect to addresses of the operator. */
const others: Record<string, string> = {
  'platform/outbound/client.ts': 'the guarded client',
  'platform/outbound/fetch.ts': 'the guarded client as `fetch`',
  'connections/auth-providers/endpoints.ts': 'judges an address before it is stored; asks nobody',
  'accounts/access/audit-checkpoints.ts': 'AUDIT_CHECKPOINT_URL: the operator’s own setting',
  'accounts/identity/oidc/oidc-client.ts': 'OIDC_ISSUER: the operator’s own setting; may be a private address',
  'machines/instances/broker-call.ts': 'the broker of a cloud, which platform staff name; may be a private address',
  'platform/http/snippets.ts': 'text of an example, not a call',
}

let world: World
let listener: Server
/** The target of the listener's redirect. */
let leadsTo: string | undefined
let port: number
let dialled: string[]
/** The local addresses at which the listener was reached. */
let reached: string[]

beforeAll(async () => {
  world = await createWorld({ settings: { BASE_URL: 'https://mill.example', APP_URL: 'https://mill.example' } })
  listener = createServer((_request, response) => {
    const headers = { connection: 'close', ...(leadsTo !== undefined && { location: leadsTo }) }
    response.writeHead(leadsTo === undefined ? 404 : 307, headers).end()
  })
  listener.on('connection', ({ localAddress = '' }) => reached.push(localAddress.replace('::ffff:', '')))
  await new Promise<void>((done) => listener.listen(0, done))
  port = (listener.address() as AddressInfo).port
  const connect = Socket.prototype.connect
  vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...given: unknown[]) {
    const told = JSON.stringify(given)
    // Only connections to the listener's port count; connections of other tests in this process have other ports.
    if (told.includes(`${port}`)) dialled.push(told)
    return Reflect.apply(connect, this, given) as Socket
  })
})
afterAll(async () => {
  vi.restoreAllMocks()
  listener?.close()
  await world?.close()
})

const actor = (): Member => ({
  kind: 'session',
  credentialId: 'c',
  userId: world.people.owner.userId,
  teamId: world.team.id,
  role: 'owner',
  isPerson: true,
  personalTeam: false,
  orgId: null,
  orgAdmin: false,
  grant: { kind: 'everything' },
  platform: 'not_staff',
  inPlatformTeam: false,
  expiresAtMs: null,
})

const ask = async (fetcher: Fetcher, platform: Platform, url: string): Promise<void> => {
  await fetcher(createCtx(platform, actor()), url).catch(() => undefined)
}

it('the table contains every file that fetches', () => {
  const calls = /\b(?:outbound\.(?:fetch|checkUrl)|asFetch)\(|(?<![.\w])fetch\((?!\))/
  const found = sourceFiles('packages/server/src')
    .filter((path) => calls.test(readSource(path)) && !path.includes('console/'))
    .map((path) => path.slice('packages/server/src/'.length))
  expect(found).toEqual([...Object.keys(fetchers), ...Object.keys(others)].sort())
})

it('there are at least 120 hosts', () => {
  expect(new Set(hostileHosts).size).toBeGreaterThanOrEqual(120)
})

/** Allows this machine by one notation only; `lookup` defines name resolution. */
const asking = async (fetcher: Fetcher, url: string, lookup?: Lookup): Promise<void> => {
  dialled = []
  reached = []
  const policy = { allow: parsePrivateHosts('127.0.0.1').allow, loopbackAllowed: false, ownPorts: [] }
  const outbound = createOutbound(policy, { ...(lookup && { lookup }) })
  await ask(fetcher, { ...world.open.platform, outbound }, url)
  await outbound.close()
}

const local = (address: string) => ({ address, family: 4 })

/** A name that resolves to an allowed address this often, and then to a forbidden one. */
const turning = (times: number): Lookup => {
  let asked = 0
  return async () => [local(asked++ < times ? '127.0.0.1' : '127.0.0.2')]
}

describe.each(Object.entries(fetchers))('%s', (_file, fetcher) => {
  const allowed = () => `http://127.0.0.1:${port}/`

  it('connects to a permitted host', async () => {
    await asking(fetcher, allowed())
    expect(dialled.length).toBeGreaterThan(0)
  })

  it('opens no connection to any hostile host', async () => {
    dialled = []
    for (const host of hostileHosts) await ask(fetcher, world.open.platform, `http://${host}:${port}/`)
    expect(dialled).toEqual([])
  })

  it('opens no connection after a redirect to one', async () => {
    for (const host of ['127.0.0.2', '[::1]', '0.0.0.0', '169.254.169.254', '10.0.0.1', 'metadata.google.internal']) {
      leadsTo = `http://${host}:${port}/`
      await asking(fetcher, allowed())
      expect(dialled.length).toBeGreaterThan(0)
      expect(dialled.filter((to) => !to.includes('"127.0.0.1"'))).toEqual([])
    }
    leadsTo = undefined
  })

  it('opens no connection to a name that resolves to one', async () => {
    const named = `http://mill.example:${port}/`
    leadsTo = `${named}again`
    await asking(fetcher, named, turning(Number.POSITIVE_INFINITY))
    expect(new Set(reached)).toEqual(new Set(['127.0.0.1']))
    for (const times of [0, 1, 2]) {
      await asking(fetcher, named, turning(times))
      expect(reached.filter((address) => address !== '127.0.0.1')).toEqual([])
    }
    leadsTo = undefined
    await asking(fetcher, named, async () => [local('127.0.0.1'), local('127.0.0.2')])
    expect(reached).toEqual([])
  })
})
