// Guarantees: an MCP client gets exactly the operations that its credential permits; a call is the operation itself
// with every check; the protocol is stateless.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import { type As, createWorld, type World } from '../../testing/world.ts'

scenarios('oauth.protected_resource', () => null, [
  {
    claim: 'names the authorization server',
    as: null,
    status: 200,
    check: ({ json }, _given, { open }) => {
      const { BASE_URL } = open.platform.settings
      expect(json).toMatchObject({ resource: `${BASE_URL}/mcp`, authorization_servers: [BASE_URL] })
    },
  },
  { claim: 'at the root too', as: null, route: 'GET /.well-known/oauth-protected-resource/mcp', status: 200 },
])

describe('POST /mcp', () => {
  let world: World
  let address = ''
  const clients: Client[] = []
  beforeAll(async () => {
    world = await createWorld()
    address = await world.listen()
  })
  afterAll(async () => {
    for (const client of clients) await client.close()
    await world?.close()
  })

  const connect = async (as: As, query = ''): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1' })
    const team = as === 'stranger' ? world.otherTeam.id : world.team.id
    const headers = { authorization: `Bearer ${await world.token(as)}`, 'x-team-id': team }
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${address}/mcp${query}`), { requestInit: { headers } }) as never,
    )
    clients.push(client)
    return client
  }

  const allTools = async (client: Client) => {
    const tools = []
    for (let cursor: string | undefined; ; ) {
      const page = await client.listTools(cursor === undefined ? {} : { cursor })
      tools.push(...page.tools)
      cursor = page.nextCursor
      if (cursor === undefined) return tools
    }
  }
  const namesFor = async (as: As, query?: string) => (await allTools(await connect(as, query))).map(({ name }) => name)

  it('lists exactly the operations that the credential permits', async () => {
    const owner = await namesFor('owner')
    expect(owner.length).toBeGreaterThan(150)
    expect(new Set(owner).size).toBe(owner.length)
    expect(owner).toContain('projects_create')
    expect(owner).toContain('mcp_servers_create')
    expect(owner).not.toContain('auth_link_send')
    expect(owner).not.toContain('chats_stream')
    expect(await namesFor('member')).not.toContain('mcp_servers_create')
    const reader = await namesFor('key:projects:read')
    expect(reader).toContain('projects_list')
    expect(reader).not.toContain('projects_create')
    expect(reader).not.toContain('apps_list')
  })

  it('describes each tool', async () => {
    const tools = await allTools(await connect('owner', '?only=projects'))
    expect(tools.every(({ name }) => name.startsWith('projects_'))).toBe(true)
    const byName = new Map(tools.map((tool) => [tool.name, tool]))
    expect(byName.get('projects_list')?.annotations).toMatchObject({ readOnlyHint: true, idempotentHint: true })
    expect(byName.get('projects_delete')?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true })
    expect(byName.get('projects_update')?.inputSchema).toMatchObject({
      type: 'object',
      properties: { id: {}, name: {}, parent_id: {} },
      required: ['id'],
    })
  })

  it('a call runs the operation with the caller’s rights', async () => {
    const client = await connect('owner')
    const made = await client.callTool({ name: 'projects_create', arguments: { name: 'P', type: 'other' } })
    const { id } = made.structuredContent as { id: string }
    expect((await world.call('owner', `GET /projects/${id}`)).data).toMatchObject({ name: 'P', visibility: 'private' })
    const renamed = await client.callTool({ name: 'projects_update', arguments: { id, name: 'Q' } })
    expect(renamed.structuredContent).toMatchObject({ id, name: 'Q' })
    const listed = await client.callTool({ name: 'projects_list', arguments: { limit: 1 } })
    expect(listed.structuredContent).toMatchObject({ items: [{ id }] })
    const foreign = await (await connect('stranger')).callTool({ name: 'projects_get', arguments: { id } })
    expect(foreign).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('not_found') }] })
  })

  it('rejections are tool results', async () => {
    const client = await connect('owner')
    const wrong = await client.callTool({ name: 'projects_create', arguments: { name: 'P', type: 'x' } })
    expect(wrong).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('validation_error') }] })
    const reader = await connect('key:projects:read')
    await expect(reader.callTool({ name: 'projects_create', arguments: {} })).rejects.toThrow('Unknown tool')
  })

  it('an internal error has a fixed message without details of the database', async () => {
    const client = await connect('owner', '?only=projects')
    const { db } = world.open.platform
    await sql`alter table projects rename to projects_away`.execute(db)
    const answer = await client.callTool({ name: 'projects_list', arguments: {} }).finally(async () => {
      await sql`alter table projects_away rename to projects`.execute(db)
    })
    expect(answer).toMatchObject({
      isError: true,
      content: [{ text: 'internal_error: Something went wrong on the server' }],
    })
  })

  it.each([
    ['no credential', null],
    ['a browser’s cookie', 'browser:owner' as const],
    ['an invalid key', { token: 'mill-x' }],
  ])('%s: gets the location of the sign-in', async (_claim, as) => {
    const answer = await world.call(as, 'POST /mcp', { body: { jsonrpc: '2.0', id: 1, method: 'ping' } })
    expect(answer.status).toBe(401)
    const { BASE_URL } = world.open.platform.settings
    expect(answer.headers['www-authenticate']).toBe(
      `Bearer resource_metadata="${BASE_URL}/.well-known/oauth-protected-resource/mcp"`,
    )
  })

  it('is stateless', async () => {
    for (const method of ['GET', 'DELETE']) {
      const answer = await world.call('owner', `${method} /mcp`)
      expect([answer.status, answer.headers.allow]).toEqual([405, 'POST'])
    }
  })
})
