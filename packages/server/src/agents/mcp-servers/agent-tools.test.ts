// Guarantees: agents use tools of MCP servers, one by name or all tools of a server. Input that the server requests
// comes from a person; a missing connection or OAuth sign-in pauses the run until it exists.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AuthorizationServer } from '#connections/credentials/testing/authorization-server.ts'
import { startAuthorizationServer, visit } from '#connections/credentials/testing/authorization-server.ts'
import { until } from '../../testing/until.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { modelApp } from '../agents/testing/given.ts'
import { answer, callsOf, getChat, modelTask, chatWith as newChatWith, says } from '../chats/testing/given.ts'
import { startMcpServer, type TestMcpServer } from './testing/mcp-server.ts'
import { startOldMcpServer } from './testing/old-mcp-server.ts'

let world: World
let server: TestMcpServer
let signIn: AuthorizationServer

beforeAll(async () => {
  world = await createWorld({ runJobs: true, settings: { CHAT_MIN_BUSY_MS: '0', ALLOW_PRIVATE_HOSTS: '*' } })
  server = await startMcpServer()
  signIn = await startAuthorizationServer({ resource: server.url })
})
afterAll(async () => {
  await world?.close()
  await server?.close()
  await signIn?.close()
})
beforeEach(() => {
  server.accepts = null
  server.asked.length = 0
  server.traces.length = 0
})

/** The next model turn, with the results of its calls. */
const told = (chatId: string) => until(async () => (await modelTask(world, chatId).catch(() => undefined))?.input)

/** A new chat with an active model turn: the tools are discovered. */
const chatWith = async (config: object): Promise<string> => {
  const chatId = await newChatWith(world, config)
  await told(chatId)
  return chatId
}

let counter = 0
const register = async (body: object = {}): Promise<string> => {
  counter += 1
  const given = { name: `Tools ${counter}`, server_url: `${server.url}?a=${counter}`, auth_type: 'none', ...body }
  const made = await world.call('owner', 'POST /mcp-servers', { body: given })
  if (made.status !== 200) throw new Error(made.text)
  return made.data.slug
}

const agentTool = (slug: string, more: object = {}) => ({ name: 'x', type: 'mcp', mcp: { server: slug, ...more } })

const parked = (chatId: string, status: string) =>
  until(async () => (await callsOf(world, chatId)).find((call) => call.status === status))

describe('a server whose tools are not discovered', () => {
  it('is queried outside of the run’s transaction, once, before the model is called', async () => {
    const slug = await register()
    let release = () => {}
    server.held = new Promise<void>((resolve) => {
      release = resolve
    })
    // The reply does not wait for the MCP server.
    const chatId = await newChatWith(world, { tools: [agentTool(slug)] })
    expect(await getChat(world, chatId)).toMatchObject({ status: 'busy', active_run: { state: 'working' } })
    await expect(modelTask(world, chatId)).rejects.toThrow('no model task is active')
    release()
    server.held = null
    expect((await told(chatId)).tools?.map((tool) => tool.function.name)).toContain('x_echo')
    const asked = server.asked.length
    await chatWith({ tools: [agentTool(slug)] })
    expect(server.asked).toHaveLength(asked)
  })

  it('and does not answer is left out', async () => {
    const slug = await register()
    server.broken = { status: 500, body: 'no' }
    const { tools = [] } = await told(await newChatWith(world, { tools: [agentTool(slug)] }))
    server.broken = null
    expect(tools.map((tool) => tool.function.name)).not.toContain('x_echo')
    expect(tools.length).toBeGreaterThan(0)
  })
})

it('a server of the first protocol revision is queried with that revision', async () => {
  const old = await startOldMcpServer()
  try {
    const slug = await register({ server_url: old.url })
    expect((await world.call('owner', `GET /mcps/${slug}/tools`)).data).toMatchObject([{ name: 'shout' }])
    const shouted = await world.call('owner', `POST /mcps/${slug}/tools/shout`, { body: { text: 'hey' } })
    expect(shouted.data).toMatchObject({ output: 'HEY', is_error: false })
    const chatId = await chatWith({ tools: [agentTool(slug, { tool_name: 'shout' })] })
    await answer(world, chatId, says('', { name: 'x', arguments: { text: 'you' } }))
    expect((await told(chatId)).text).toBe('YOU')
  } finally {
    await old.close()
  }
})

describe('a tool of a server', () => {
  it('is called with the caller’s trace context, by an agent and through the API', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const slug = await register()
    const call = (headers: Record<string, string>) =>
      world.call('owner', `POST /mcps/${slug}/tools/echo`, { body: { text: 'x' }, headers })
    await call({ traceparent })
    await call({})
    const model = await modelApp(world)
    const agent_config = { core_app: { id: model.id }, tools: [agentTool(slug, { tool_name: 'echo' })] }
    const body = { agent_config, input: { text: 'hi' } }
    const said = await world.call('owner', 'POST /agents/run', { body, headers: { traceparent } })
    const chatId = said.data.assistant_message.chat_id
    await told(chatId)
    await answer(world, chatId, says('', { name: 'x', arguments: { text: 'x' } }))
    await told(chatId)
    const traced = { header: traceparent, meta: traceparent }
    expect(server.traces).toEqual([traced, { header: undefined, meta: undefined }, traced])
  })

  it('by name: the model receives its schema and its result', async () => {
    const slug = await register()
    const chatId = await chatWith({ tools: [agentTool(slug, { tool_name: 'add' })] })
    const offered = await answer(world, chatId, says('', { name: 'x', arguments: { a: 2, b: 3 } }))
    const shown = offered.tools?.find(({ function: { name } }) => name === 'x')
    expect(shown?.function.parameters).toMatchObject({ required: ['a', 'b'] })
    expect((await told(chatId)).text).toBe('added')
    expect((await callsOf(world, chatId))[0]).toMatchObject({ type: 'mcp', status: 'completed' })
  })

  it('arguments that do not match are reported to the model, and the server is not called', async () => {
    const slug = await register()
    const chatId = await chatWith({ tools: [agentTool(slug, { tool_name: 'add' })] })
    server.asked.length = 0
    await answer(world, chatId, says('', { name: 'x', arguments: { a: 'two' } }))
    expect((await told(chatId)).text).toContain('arguments')
    expect(server.asked).toEqual([])
  })

  it('all tools of two servers, each under the name of its entry', async () => {
    const [one, two] = [await register(), await register()]
    const tools = [
      { ...agentTool(one), name: 'first' },
      { ...agentTool(two), name: 'first_b' },
    ]
    const chatId = await chatWith({ tools })
    const calls = [
      { name: 'first_echo', arguments: { text: 'one' } },
      { name: 'first_b_echo', arguments: { text: 'two' } },
      { name: 'first_b_odd_schema', arguments: {} },
    ]
    const { tools: offered = [] } = await answer(world, chatId, says('', ...calls))
    const names = offered.map(({ function: { name } }) => name)
    expect(names).toContain('first_ask_rounds')
    expect(names).toContain('first_b_add')
    await told(chatId)
    const made = await callsOf(world, chatId)
    expect(made.map(({ status, result }) => [status, result])).toEqual([
      ['completed', 'one'],
      ['completed', 'two'],
      ['failed', expect.stringMatching(/^Tool .* not found/)],
    ])
  })

  it('rules match the server and the tool’s name there', async () => {
    const slug = await register()
    const rules = [{ effect: 'deny', kind: 'MCP', selector: slug, specifier: 'echo' }]
    const chatId = await chatWith({ tools: [agentTool(slug)], permissions: { rules } })
    await answer(
      world,
      chatId,
      says('', { name: 'x_echo', arguments: { text: 'a' } }, { name: 'x_add', arguments: { a: 1, b: 1 } }),
    )
    await told(chatId)
    expect((await callsOf(world, chatId)).map(({ status }) => status)).toEqual(['failed', 'completed'])
    expect(server.asked).not.toContain('tools/call echo')
  })
})

it.each([
  ['during the call', 'ask', 'input-1', 'hello Ada'],
  ['in its result', 'ask.rounds', 'who', 'welcome Ada'],
])('input requested %s comes from a person', async (_claim, tool, key, said) => {
  const slug = await register()
  const chatId = await chatWith({ tools: [agentTool(slug, { tool_name: tool })] })
  await answer(world, chatId, says('', { name: 'x' }))
  const call = await parked(chatId, 'awaiting_input')
  expect(call.data).toMatchObject({
    input_required: true,
    input_requests: { [key]: { method: 'elicitation/create', params: { message: 'Your name?' } } },
    round: 1,
  })
  const chat = await getChat(world, chatId)
  expect(chat).toMatchObject({ status: 'awaiting_input', pending_interrupts: [{ reason: 'widget' }] })
  const result = JSON.stringify({ [key]: { action: 'accept', content: { name: 'Ada' } } })
  const asKey = await world.call('key:agents:execute,conversations:write', `POST /tools/${call.id}`, {
    body: { result },
  })
  expect(asKey.code).toBe('requires_sign_in')
  const unfit = ['Ada', '{}', `{"${key}":{"action":"perhaps"}}`, '{"other":{"action":"accept"}}']
  for (const refused of unfit)
    expect((await world.call('owner', `POST /tools/${call.id}`, { body: { result: refused } })).code).toBe(
      'validation_error',
    )
  const answered = await world.call('owner', `POST /tools/${call.id}`, { body: { result } })
  expect(answered.status, answered.text).toBe(200)
  expect((await told(chatId)).text).toBe(said)
})

it('a server that requires OAuth: the run waits for the sign-in, then makes the call with the token', async () => {
  const path = new URL(server.url).pathname
  server.accepts = (bearer) => /^[\w-]{30,}$/.test(bearer)
  server.documents.set(`/.well-known/oauth-protected-resource${path}`, {
    resource: server.url,
    authorization_servers: [signIn.address],
    scopes_supported: ['read'],
  })
  const slug = await register({ name: 'Signed', server_url: server.url, auth_type: '' })
  const shown = await world.call('owner', `GET /mcps/${slug}`)
  expect(shown.data).toMatchObject({ auth_type: 'oauth', default_scopes: ['read'], connection_status: 'disconnected' })

  const signed = { name: 'x', type: 'mcp', mcp: { server: slug, tool_name: 'whoami' } }
  const first = await world.call('owner', `POST /mcps/${slug}/tools/whoami`, { body: {} })
  expect(first).toMatchObject({
    status: 412,
    json: { errors: [{ action: { type: 'connect', provider: 'signed-mcp' } }] },
  })

  const begun = await world.call('owner', 'POST /credentials', { body: { provider: 'signed-mcp', type: 'mcp' } })
  const completion = { provider: 'signed-mcp', type: 'mcp', ...(await visit(begun.data.auth_url)) }
  const done = await world.call('owner', 'POST /credentials/oauth/complete', { body: completion })
  expect(done.status, done.text).toBe(200)

  const chatId = await chatWith({ tools: [signed] })
  await answer(world, chatId, says('', { name: 'x' }))
  const { text } = await told(chatId)
  expect(text).toContain('****')
  expect(text).not.toMatch(/Bearer [\w-]{30,}/)

  await answer(world, chatId, says('', { name: 'x' }))
  await told(chatId)
  const credential = done.data.credential.id
  await world.call('owner', `DELETE /credentials/${credential}`)
  const gone = await world.call('owner', `POST /mcps/${slug}/tools/whoami`, { body: {} })
  expect(gone.status).toBe(412)
})

it('a connection that is missing at the time of the call pauses the run until it exists', async () => {
  server.accepts = (bearer) => bearer === 'the-key-0123456789'
  const slug = await register({ auth_type: 'api_key' })
  const connect = () =>
    world.call('owner', 'POST /credentials', {
      body: { provider: `${slug}-mcp`, type: 'api_key', api_key: 'the-key-0123456789' },
    })
  await connect()
  const chatId = await chatWith({ tools: [agentTool(slug, { tool_name: 'echo' })] })
  // The server revoked the key after discovery, so the call is rejected.
  server.accepts = () => false
  await answer(world, chatId, says('', { name: 'x', arguments: { text: 'late' } }))
  await parked(chatId, 'awaiting_input')
  expect((await getChat(world, chatId)).active_run).toMatchObject({ state: 'auth_required' })
  server.accepts = null
  await connect()
  expect((await told(chatId)).text).toBe('late')
})
