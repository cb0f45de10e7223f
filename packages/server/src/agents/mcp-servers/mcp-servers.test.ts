// Guarantees: who may register, see, change and delete a workspace's MCP servers; the directory is public; the tools of
// a server are found by its slug and called with the caller's connection.
import { afterAll, beforeAll, expect } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import { startMcpServer, type TestMcpServer } from './testing/mcp-server.ts'

let server: TestMcpServer
beforeAll(async () => {
  server = await startMcpServer()
})
afterAll(() => server?.close())

const nowhere = 'http://127.0.0.1:9/mcp'
const missing = '0'.repeat(26)
let counter = 0

const prepare = async (world: World) => {
  counter += 1
  const slug = `tools-${counter}`
  const body = { name: `Tools ${counter}`, slug, server_url: `${server.url}?n=${counter}`, auth_type: 'none' }
  const made = await world.call('owner', 'POST /mcp-servers', { body })
  if (made.status !== 200) throw new Error(made.text)
  const keyed = { ...body, slug: `${slug}-keyed`, server_url: `${server.url}?k=${counter}`, auth_type: 'api_key' }
  const closed = await world.call('owner', 'POST /mcp-servers', { body: keyed })
  return { id: made.data.id as string, slug, closed: closed.data.slug as string, closedId: closed.data.id as string }
}
type Given = Awaited<ReturnType<typeof prepare>>
const byId = ({ id }: Given) => ({ id })
const bySlug = ({ slug }: Given) => ({ slug })
const listed = { slug: 'deepwiki' }

scenarios('mcps.list', prepare, [
  {
    claim: 'the directory is public and contains no workspace’s own servers',
    as: null,
    query: { limit: '5', sort: JSON.stringify([{ field: 'rank', dir: 'asc' }]) },
    status: 200,
    check: ({ data }) => {
      expect(data.items[0]).toMatchObject({ slug: 'github', category: 'developer', is_featured: true, rank: 1 })
      expect(data.items[0]).not.toHaveProperty('team_id')
      expect(data.has_next).toBe(true)
    },
  },
  {
    claim: 'by category',
    as: 'member',
    route: 'POST /mcps/list',
    body: { filters: [{ field: 'category', operator: 'eq', value: 'ai' }] },
    status: 200,
    check: ({ data }) => expect(data.items.map(({ slug }: { slug: string }) => slug)).toEqual(['hugging-face']),
  },
  {
    claim: 'by an unknown field',
    as: null,
    route: 'POST /mcps/list',
    body: { filters: [{ field: 'shoe', operator: 'eq', value: 1 }] },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'with a cursor that is none',
    as: null,
    query: { cursor: 'x' },
    status: 400,
    code: 'invalid_request',
  },
])

scenarios('mcps.get', prepare, [
  {
    claim: 'the workspace’s own',
    as: 'member',
    path: bySlug,
    status: 200,
    check: ({ data }, { id }) =>
      expect(data).toMatchObject({ id, auth_type: 'none', visibility: 'team', connection_status: 'connected' }),
  },
  {
    claim: 'a server of the directory, for anyone',
    as: null,
    path: listed,
    status: 200,
    check: ({ data }) => {
      expect(data).toMatchObject({
        slug: 'deepwiki',
        namespace: 'millrace',
        server_url: 'https://mcp.deepwiki.com/mcp',
      })
      expect(data).not.toHaveProperty('connection_status')
    },
  },
  {
    claim: 'the workspace’s own server takes precedence over the directory’s with that slug',
    as: 'owner',
    status: 200,
    act: async (world) => {
      const body = { name: 'Mine', slug: 'linear', server_url: `${server.url}?l=${++counter}`, auth_type: 'none' }
      await world.call('owner', 'POST /mcp-servers', { body })
      expect((await world.call('stranger', 'GET /mcps/linear')).data.title).toBe('Linear')
      return world.call('owner', 'GET /mcps/linear')
    },
    check: ({ data }) => expect(data.name).toBe('Mine'),
  },
  { claim: 'without the scope, only the directory', as: 'key:apps:read', path: bySlug, status: 404, code: 'not_found' },
  { claim: 'another workspace’s', as: 'stranger', path: bySlug, status: 404, code: 'not_found' },
])

scenarios('mcps.tools', prepare, [
  {
    claim: 'a slug that the database cannot store',
    as: 'member',
    status: 200,
    act: async (world, { slug }) => {
      server.more.push('a\0b')
      return world.call('member', `GET /mcps/${slug}/tools`).finally(() => server.more.pop())
    },
    check: ({ data }) => expect(data.at(-1).name).toBe('a\uFFFDb'),
  },
  {
    claim: 'every page of them',
    as: 'member',
    path: bySlug,
    status: 200,
    check: ({ data }) => {
      expect(data).toHaveLength(7)
      expect(data[1]).toEqual({
        name: 'add',
        title: 'Add',
        description: 'Adds two numbers',
        inputSchema: expect.objectContaining({ type: 'object' }),
        outputSchema: expect.objectContaining({ type: 'object' }),
        annotations: { readOnlyHint: true, idempotentHint: true },
      })
    },
  },
  {
    claim: 'cached for five minutes',
    as: 'member',
    status: 200,
    act: async (world, { slug }) => {
      await world.call('member', `GET /mcps/${slug}/tools`)
      server.more.push('newcomer')
      server.asked.length = 0
      expect((await world.call('member', `GET /mcps/${slug}/tools`)).data).toHaveLength(7)
      expect(server.asked).toEqual([])
      world.clock.advance(5 * 60_000)
      const answer = await world.call('member', `GET /mcps/${slug}/tools`)
      server.more.length = 0
      return answer
    },
    check: ({ data }) => expect(data).toHaveLength(8),
  },
  {
    claim: 'of a server that requires a key, without one',
    as: 'member',
    path: ({ closed }: Given) => ({ slug: closed }),
    status: 412,
    code: 'requirements_not_met',
    check: ({ json }, { closed }) =>
      expect(json).toMatchObject({
        satisfied: false,
        errors: [{ type: 'integration', key: `${closed}-mcp`, action: { type: 'connect', provider: `${closed}-mcp` } }],
      }),
  },
  {
    claim: 'of a server that does not answer',
    as: 'owner',
    status: 502,
    code: 'mcp_unreachable',
    act: async (world) => {
      const body = { name: 'Gone', slug: `gone-${++counter}`, server_url: nowhere, auth_type: 'none' }
      await world.call('owner', 'POST /mcp-servers', { body })
      return world.call('owner', `GET /mcps/gone-${counter}/tools`)
    },
  },
  {
    claim: 'of a server with another protocol',
    as: 'owner',
    status: 502,
    code: 'mcp_unreachable',
    act: async (world, { slug }) => {
      server.broken = { status: 200, body: '{"hello": "world"}' }
      const answer = await world.call('owner', `GET /mcps/${slug}/tools`)
      server.broken = null
      return answer
    },
    check: ({ text }) => expect(text).not.toContain('world'),
  },
  {
    claim: 'of a server that answers with deeply nested JSON',
    as: 'owner',
    status: 502,
    code: 'mcp_unreachable',
    act: async (world, { slug }) => {
      const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
      server.broken = { status: 200, body: `{"jsonrpc":"2.0","id":0,"result":{"tools":${deep}}}` }
      const answer = await world.call('owner', `GET /mcps/${slug}/tools`)
      server.broken = null
      return answer
    },
  },
  { claim: 'another workspace', as: 'stranger', path: bySlug, status: 404, code: 'not_found' },
])

const tool = (name: string) => (given: Given) => ({ slug: given.slug, tool: name })

scenarios('mcps.call_tool', prepare, [
  {
    claim: 'words',
    as: 'key:agents:execute',
    path: tool('echo'),
    body: { text: 'hi' },
    status: 200,
    check: ({ data }) =>
      expect(data).toEqual({ output: 'hi', blocks: [{ type: 'text', text: 'hi' }], is_error: false }),
  },
  {
    claim: 'an object, with its schema',
    as: 'member',
    path: tool('add'),
    body: { a: 1, b: 2 },
    status: 200,
    check: ({ data }) => expect(data).toMatchObject({ output: { sum: 3 }, output_schema: { type: 'object' } }),
  },
  {
    claim: 'the error of a tool is a result',
    as: 'member',
    path: tool('refuse'),
    body: {},
    status: 200,
    check: ({ data }) => expect(data).toMatchObject({ is_error: true, blocks: [{ text: 'I will not' }] }),
  },
  {
    claim: 'input requested during the call is sent by calling again',
    as: 'member',
    status: 200,
    act: async (world, { slug }) => {
      const first = await world.call('member', `POST /mcps/${slug}/tools/ask`, { body: {} })
      expect(first.data).toMatchObject({
        is_error: false,
        input_required: true,
        input_requests: { 'input-1': { method: 'elicitation/create', params: { message: 'Your name?' } } },
      })
      const inputResponses = { 'input-1': { action: 'accept', content: { name: 'Ada' } } }
      return world.call('member', `POST /mcps/${slug}/tools/ask`, { body: { arguments: {}, inputResponses } })
    },
    check: ({ data }) => expect(data.output).toBe('hello Ada'),
  },
  {
    claim: 'input requested in the result is sent with its state',
    as: 'key:agents:execute',
    status: 200,
    act: async (world, { slug }) => {
      const route = `POST /mcps/${slug}/tools/ask.rounds`
      const first = await world.call('key:agents:execute', route, { body: {} })
      expect(first.data).toMatchObject({ input_required: true, input_requests: { who: {} }, request_state: 'state-1' })
      const body = {
        arguments: {},
        inputResponses: { who: { action: 'accept', content: { name: 'Ada' } } },
        requestState: first.data.request_state,
      }
      return world.call('key:agents:execute', route, { body })
    },
    check: ({ data }) => expect(data.output).toBe('welcome Ada'),
  },
  {
    claim: 'a key that the server repeats is masked',
    as: 'member',
    status: 200,
    act: async (world, { closed }) => {
      server.accepts = (bearer) => bearer === 'key-of-the-member-0123456789'
      const body = { provider: `${closed}-mcp`, type: 'api_key', api_key: 'key-of-the-member-0123456789' }
      await world.call('member', 'POST /credentials', { body })
      const answer = await world.call('member', `POST /mcps/${closed}/tools/whoami`, { body: {} })
      server.accepts = null
      return answer
    },
    check: ({ text }) => {
      expect(text).toContain('****')
      expect(text).not.toContain('key-of-the-member')
      expect(text).not.toContain(Buffer.from('Bearer key-of-the-member-0123456789').toString('base64').slice(12, 40))
    },
  },
  {
    claim: 'a key that the server no longer accepts',
    as: 'member',
    status: 412,
    code: 'requirements_not_met',
    act: async (world, { closed }) => {
      server.accepts = () => false
      const body = { provider: `${closed}-mcp`, type: 'api_key', api_key: 'k' }
      await world.call('member', 'POST /credentials', { body })
      const answer = await world.call('member', `POST /mcps/${closed}/tools/echo`, { body: { text: 'x' } })
      server.accepts = null
      return answer
    },
  },
  { claim: 'an unknown tool', as: 'member', path: tool('fly'), body: {}, status: 404, code: 'not_found' },
  {
    claim: 'a server that fails',
    as: 'member',
    status: 502,
    code: 'mcp_unreachable',
    act: async (world, { slug }) => {
      server.broken = { status: 500, body: 'a stack trace' }
      const answer = await world.call('member', `POST /mcps/${slug}/tools/echo`, { body: { text: 'x' } })
      server.broken = null
      return answer
    },
    check: ({ text }) => expect(text).not.toContain('stack trace'),
  },
  {
    claim: 'arguments that are not an object',
    as: 'member',
    path: tool('echo'),
    body: '[1]',
    status: 400,
    code: 'invalid_request',
  },
  { claim: 'another workspace', as: 'stranger', path: tool('echo'), body: {}, status: 404, code: 'not_found' },
])

scenarios('mcp_servers.list', prepare, [
  {
    claim: 'the workspace’s servers, with their connection status',
    as: 'member',
    query: ({ slug }: Given) => ({ filters: JSON.stringify([{ field: 'slug', operator: 'like', value: `${slug}%` }]) }),
    status: 200,
    check: ({ data }, { slug, closed }) => {
      const states = data.items.map((item: { slug: string; connection_status: string }) => [
        item.slug,
        item.connection_status,
      ])
      expect(Object.fromEntries(states)).toMatchObject({ [slug]: 'connected', [closed]: 'disconnected' })
    },
  },
  {
    claim: 'another workspace sees none of them',
    as: 'stranger',
    status: 200,
    check: ({ data }) => expect(data.items).toEqual([]),
  },
  {
    claim: 'by an unknown field',
    as: 'member',
    route: 'POST /mcp-servers/list',
    body: { filters: [{ field: 'x', operator: 'eq', value: 1 }] },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'with a cursor that is none', as: 'member', query: { cursor: 'x' }, status: 400, code: 'invalid_request' },
])

scenarios('mcp_servers.create', prepare, [
  {
    claim: 'the server needs no sign-in if it answers without credentials',
    as: 'admin',
    body: () => ({ name: 'Open Wörld!', server_url: `${server.url}?o=${++counter}`, description: 'D', title: 'T' }),
    status: 200,
    audits: ['mcp_server.created'],
    check: ({ data }) =>
      expect(data).toMatchObject({ slug: 'open-world', auth_type: 'none', title: 'T', description: 'D' }),
  },
  {
    claim: 'a server that rejects unauthenticated calls without naming an authorization server uses a key',
    as: 'admin',
    status: 200,
    act: async (world) => {
      server.accepts = () => false
      const body = { name: `Locked ${++counter}`, server_url: `${server.url}?c=${counter}` }
      const answer = await world.call('admin', 'POST /mcp-servers', { body })
      server.accepts = null
      return answer
    },
    audits: ['auth_provider.created'],
    check: ({ data }) => expect(data).toMatchObject({ auth_type: 'api_key', connection_status: 'disconnected' }),
  },
  {
    claim: 'a taken slug',
    as: 'admin',
    body: ({ slug }: Given) => ({ name: 'X', slug, server_url: server.url, auth_type: 'none' }),
    status: 409,
    code: 'conflict',
  },
  {
    claim: 'an unreachable server',
    as: 'admin',
    body: { name: 'X', server_url: nowhere },
    status: 502,
    code: 'mcp_unreachable',
  },
  { claim: 'without a URL', as: 'admin', body: { name: 'X' }, status: 400, code: 'validation_error' },
  {
    claim: 'a private address',
    as: 'admin',
    body: { name: 'X', server_url: 'https://10.0.0.1/mcp' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'plain http to a public host',
    as: 'admin',
    body: { name: 'X', server_url: 'http://mcp.example/' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'plain http to a public host, without a sign-in',
    as: 'admin',
    body: { name: 'X', server_url: 'http://mcp.example/', auth_type: 'none' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a description that is too long',
    as: 'admin',
    body: () => ({ name: 'X', server_url: server.url, auth_type: 'none', description: 'd'.repeat(201) }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a plain member',
    as: 'member',
    body: { name: 'X', server_url: nowhere },
    status: 403,
    code: 'team_role_required',
  },
])

scenarios('mcp_servers.get', prepare, [
  { claim: 'by id', as: 'member', path: byId, status: 200 },
  { claim: 'another workspace', as: 'stranger', path: byId, status: 404, code: 'not_found' },
])

scenarios('mcp_servers.update', prepare, [
  {
    claim: 'some fields',
    as: 'admin',
    path: byId,
    body: { title: 'New', default_scopes: ['a', 'a'] },
    status: 200,
    audits: ['mcp_server.updated'],
    check: ({ data }, { slug }) => expect(data).toMatchObject({ title: 'New', slug, default_scopes: ['a'] }),
  },
  {
    claim: 'a new URL: the connections to the old one are not used for it',
    as: 'admin',
    status: 200,
    act: async (world, { closed, closedId }) => {
      const body = { provider: `${closed}-mcp`, type: 'api_key', api_key: 'k' }
      await world.call('member', 'POST /credentials', { body })
      expect((await world.call('member', `GET /mcps/${closed}`)).data.connection_status).toBe('connected')
      const change = { server_url: `${server.url}?moved=${++counter}`, auth_type: 'api_key' }
      await world.call('admin', `PUT /mcp-servers/${closedId}`, { body: change })
      return world.call('member', `GET /mcps/${closed}`)
    },
    audits: ['credential.disconnected', 'mcp_server.updated'],
    check: ({ data }) => expect(data.connection_status).toBe('disconnected'),
  },
  {
    claim: 'a taken slug',
    as: 'admin',
    path: byId,
    body: ({ closed }: Given) => ({ slug: closed }),
    status: 409,
    code: 'conflict',
  },
  {
    claim: 'an unreachable server',
    as: 'admin',
    path: byId,
    body: { server_url: nowhere, auth_type: 'oauth' },
    status: 502,
    code: 'mcp_unreachable',
  },
  {
    claim: 'an invalid slug',
    as: 'admin',
    path: byId,
    body: { slug: 'A b' },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'not there', as: 'admin', path: { id: missing }, body: {}, status: 404, code: 'not_found' },
  { claim: 'a plain member', as: 'member', path: byId, body: {}, status: 403, code: 'team_role_required' },
  { claim: 'another workspace', as: 'stranger', path: byId, body: {}, status: 404, code: 'not_found' },
])

scenarios('mcp_servers.delete', prepare, [
  {
    claim: 'with everyone’s connections to it',
    as: 'admin',
    status: 200,
    act: async (world, { closed, closedId }) => {
      const body = { provider: `${closed}-mcp`, type: 'api_key', api_key: 'k' }
      await world.call('member', 'POST /credentials', { body })
      const answer = await world.call('admin', `DELETE /mcp-servers/${closedId}`)
      expect((await world.call('member', `GET /credentials/${closed}-mcp`)).status).toBe(404)
      expect((await world.call('member', `GET /mcps/${closed}`)).status).toBe(404)
      return answer
    },
    audits: ['credential.disconnected', 'mcp_server.deleted'],
  },
  { claim: 'a plain member', as: 'member', path: byId, status: 403, code: 'team_role_required' },
  { claim: 'another workspace', as: 'stranger', path: byId, status: 404, code: 'not_found' },
])
