// Guarantees: every kind of tool runs by its own rules; keys are added when a request is sent and never shown; the
// scopes of the run limit its tools.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApp } from '#automation/flow-runs/testing/given.ts'
import { until } from '../../../testing/until.ts'
import { createWorld, type World } from '../../../testing/world.ts'
import { givenAgent, modelApp, showAgent } from '../../agents/testing/given.ts'
import { reclaimErrands } from '../hooks/errands.ts'
import { answer, callsOf, chatWith, endTask, getChat, modelTask, run, says } from '../testing/given.ts'

let world: World
let target: Server
let origin = ''
const hanging: ServerResponse[] = []
const requests: { url: string; headers: IncomingMessage['headers']; body: string }[] = []

beforeAll(async () => {
  world = await createWorld({ runJobs: true, settings: { CHAT_MIN_BUSY_MS: '0', ALLOW_PRIVATE_HOSTS: '*' } })
  target = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    requests.push({ url: request.url ?? '', headers: request.headers, body })
    if (request.url?.startsWith('/fail')) response.statusCode = 418
    if (request.url?.startsWith('/hang')) return void hanging.push(response)
    if (request.url?.startsWith('/large')) return void response.end('x'.repeat(3 * 1024 * 1024))
    response.end(request.url?.startsWith('/echo') ? JSON.stringify({ headers: request.headers, body }) : 'fine')
  })
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(target.address() as AddressInfo).port}`
})
afterAll(async () => {
  target?.close()
  await world?.close()
})

/** The next model turn, with the results of its calls. */
const told = (chatId: string) => until(async () => (await modelTask(world, chatId).catch(() => undefined))?.input)

describe('http tools', () => {
  it('send the arguments with the key in its header; the key is masked in the response', async () => {
    const http = { url: `${origin}/echo/{{id}}`, auth: { type: 'bearer', secret: 'sk-very-secret-0123456789' } }
    const chatId = await chatWith(world, { tools: [{ name: 'get', type: 'http', http }] })
    await answer(world, chatId, says('', { name: 'get', arguments: { id: 'a/b', n: 1 } }))
    const { text } = await told(chatId)
    expect(requests.at(-1)?.url).toBe('/echo/a%2Fb')
    expect(JSON.parse(requests.at(-1)?.body ?? '')).toEqual({ id: 'a/b', n: 1 })
    expect(requests.at(-1)?.headers.authorization).toBe('Bearer sk-very-secret-0123456789')
    expect(text).toContain('****')
    expect(text).not.toContain('very-secret')
  })

  it.each([
    ['an error status', '/fail', 'HTTP 418'],
    ['an unknown host', null, 'could not be reached'],
  ])('%s is reported to the model', async (_claim, path, says_) => {
    const http = { url: path === null ? 'http://127.0.0.1:9/' : `${origin}${path}`, method: 'GET' }
    const chatId = await chatWith(world, { tools: [{ name: 'get', type: 'call', call: http }] })
    await answer(world, chatId, says('', { name: 'get', arguments: { q: 1 } }))
    expect((await told(chatId)).text).toContain(says_)
  })

  it('a response that is too large is truncated, and the model is informed', async () => {
    const chatId = await chatWith(world, { tools: [{ name: 'get', type: 'http', http: { url: `${origin}/large` } }] })
    await answer(world, chatId, says('', { name: 'get' }))
    const { text } = await told(chatId)
    expect(Buffer.byteLength(text)).toBe(64 * 1024)
    expect(text).toMatch(/^x+\n\[truncated at 65536 bytes\]$/)
    expect((await callsOf(world, chatId))[0]?.status).toBe('completed')
  })

  it('model tasks, apps and requests belong to the caller’s trace', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const app = await openApp(world)
    const model = await modelApp(world)
    const tools = [
      { name: 'get', type: 'http', http: { url: `${origin}/traced` } },
      { name: 'draw', type: 'app', app: { id: app.id } },
    ]
    const body = { agent_config: { core_app: { id: model.id }, tools }, input: { text: 'hi' } }
    const said = await world.call('owner', 'POST /agents/run', { body, headers: { traceparent } })
    const chatId = said.data.assistant_message.chat_id
    await answer(world, chatId, says('', { name: 'get' }, { name: 'draw' }))
    const draw = (await callsOf(world, chatId)).find((call) => call.function.name === 'draw')
    await endTask(world, draw?.execution_id ?? '', { output: 'drawn' })
    await told(chatId)
    expect(requests.find(({ url }) => url === '/traced')?.headers.traceparent).toBe(traceparent)
    const tasks = await world.open.platform.db
      .selectFrom('tasks')
      .select('traceparent')
      .where('chat_id', '=', chatId)
      .execute()
    expect(tasks).toEqual([{ traceparent }, { traceparent }, { traceparent }])
  })

  it('a request whose server stopped is not sent again: the model learns that the outcome is unknown', async () => {
    const chatId = await chatWith(world, { tools: [{ name: 'get', type: 'http', http: { url: `${origin}/hang` } }] })
    await answer(world, chatId, says('', { name: 'get' }))
    await until(async () => hanging.length > 0)
    const { db } = world.open.platform
    await db.updateTable('agent_errands').set({ server_id: 'gone' }).where('chat_id', '=', chatId).execute()
    await reclaimErrands(world.open.platform)
    expect((await told(chatId)).text).toContain('outcome of this call is unknown')
    for (const response of hanging) response.end('late')
    expect(requests.filter(({ url }) => url === '/hang')).toHaveLength(1)
  })

  it('a key is not sent to a host from the arguments', async () => {
    const http = { url: 'https://{{host}}/x', auth: { type: 'bearer', secret: 'sk-very-secret-0123456789' } }
    const chatId = await chatWith(world, { tools: [{ name: 'get', type: 'http', http }] })
    await answer(world, chatId, says('', { name: 'get', arguments: { host: 'evil.example' } }))
    expect((await told(chatId)).text).toContain('cannot use a placeholder as host')
  })

  it('a connection can be named by its id; a missing one is requested', async () => {
    const body = { provider: 'groq', type: 'api_key', api_key: 'gsk_named_by_its_id' }
    const made = await world.call('owner', 'POST /credentials', { body })
    const auth = { type: 'integration', integration_id: made.data.integration.id }
    const tool = (id: string) => ({ url: `${origin}/echo`, auth: { ...auth, integration_id: id } })
    const start = (id: string) => chatWith(world, { tools: [{ name: 'get', type: 'http', http: tool(id) }] })
    const chatId = await start(auth.integration_id)
    await answer(world, chatId, says('', { name: 'get' }))
    const { text } = await told(chatId)
    expect(JSON.stringify(requests.at(-1)?.headers)).toContain('gsk_named_by_its_id')
    expect(text).not.toContain('gsk_named_by_its_id')
    const without = await start('00000000000000000000000000')
    await answer(world, without, says('', { name: 'get' }))
    await until(async () => (await getChat(world, without)).active_run?.state === 'auth_required')
  })

  it('a named secret needs the scope to use its value', async () => {
    await world.call('owner', 'POST /secrets', { body: { key: 'TOOL_TOKEN', value: 'tool-token-0123456789' } })
    const http = { url: `${origin}/echo`, auth: { type: 'api_key', secret: 'TOOL_TOKEN' } }
    const app = await modelApp(world)
    const body = { agent_config: { core_app: { id: app.id }, tools: [{ name: 'get', type: 'http', http }] } }
    const start = async (as: 'owner' | 'key:agents:execute,agents:read') =>
      (await run(world, body, as)).assistant_message.chat_id
    const allowed = await start('owner')
    await answer(world, allowed, says('', { name: 'get' }))
    await told(allowed)
    expect(requests.at(-1)?.headers['x-api-key']).toBe('tool-token-0123456789')
    const refused = await start('key:agents:execute,agents:read')
    await answer(world, refused, says('', { name: 'get' }))
    expect((await told(refused)).text).toContain('secrets:reveal')
  })
})

describe('webhook tools', () => {
  it('wait for the callback, which counts once and needs its token', async () => {
    const hook = { url: `${origin}/hook`, secret: 'hook-secret-0123456789' }
    const chatId = await chatWith(world, { tools: [{ name: 'order', type: 'hook', hook }] })
    await answer(world, chatId, says('', { name: 'order', arguments: { data: {} } }))
    await until(async () => (await callsOf(world, chatId))[0]?.status === 'awaiting_input')
    expect(await getChat(world, chatId)).toMatchObject({ status: 'awaiting_input', pending_interrupts: [] })
    const sent = requests.at(-1)
    expect(sent?.headers['x-hook-secret']).toBe('hook-secret-0123456789')
    const { callback_url: callback, hook_name: name } = JSON.parse(sent?.body ?? '{}')
    expect(name).toBe('order')
    const post = (url: string) => world.call(null, `POST ${url}`, { body: { result: 'shipped' } })
    expect(await post(`${callback}x`)).toMatchObject({ status: 401, code: 'unauthorized' })
    expect((await post(callback)).status).toBe(200)
    expect(await post(callback)).toMatchObject({ status: 409, code: 'tool_not_pending' })
    expect((await told(chatId)).text).toBe('shipped')
  })

  it('mask the key that they were called with', async () => {
    const secret = 'hook-secret-0123456789'
    const hook = { url: `${origin}/hook`, secret }
    const chatId = await chatWith(world, { tools: [{ name: 'order', type: 'hook', hook }] })
    await answer(world, chatId, says('', { name: 'order', arguments: { data: {} } }))
    await until(async () => (await callsOf(world, chatId))[0]?.status === 'awaiting_input')
    const { callback_url: callback } = JSON.parse(requests.at(-1)?.body ?? '{}')
    const result = `${secret} ${Buffer.from(secret).toString('base64')} shipped`
    const answered = await world.call(null, `POST ${callback}`, { body: { result } })
    const { text } = await told(chatId)
    for (const seen of [text, answered.text]) {
      expect(seen).toContain('shipped')
      expect(seen).not.toContain(secret)
      expect(seen).not.toContain(Buffer.from(secret).toString('base64'))
    }
  })
})

describe('agents of another workspace', () => {
  const key = 'weather-key-0123456789'
  const secret = { type: 'bearer', secret: 'WEATHER_KEY' }
  const connection = { type: 'integration', provider: 'groq' }
  const groq = 'gsk_of_this_workspace'

  beforeAll(async () => {
    await world.call('owner', 'POST /secrets', { body: { key: 'WEATHER_KEY', value: key } })
    await world.call('stranger', 'POST /secrets', { body: { key: 'WEATHER_KEY', value: 'weather-key-of-strangers' } })
    const made = { provider: 'groq', type: 'api_key', api_key: groq }
    expect((await world.call('owner', 'POST /credentials', { body: made })).status).toBe(200)
  })

  const strangersAgent = async (tool: object) => {
    const core_app = { id: (await modelApp(world, 'stranger')).id }
    const made = await givenAgent(world, 'stranger', { core_app, tools: [{ name: 'get', ...tool }] })
    return showAgent(world, 'stranger', made, 'public')
  }

  /** The call's result in the prompt, and whether a request was sent. */
  const called = async (body: object) => {
    const before = requests.length
    const chatId = (await run(world, body)).assistant_message.chat_id
    await answer(world, chatId, says('', { name: 'get', arguments: {} }))
    const { text } = await told(chatId)
    return { text, sent: requests.slice(before) }
  }

  it.each([
    ['a secret', () => ({ type: 'http', http: { url: `${origin}/echo`, auth: secret } }), 'secrets'],
    [
      'the secret of a webhook',
      () => ({ type: 'hook', hook: { url: `${origin}/hook`, secret: 'WEATHER_KEY' } }),
      'secrets',
    ],
    ['a connection', () => ({ type: 'call', call: { url: `${origin}/echo`, auth: connection } }), 'connections'],
  ])('cannot use %s of the workspace that runs them, and the error says why', async (_claim, tool, what) => {
    const { text, sent } = await called({ agent_id: (await strangersAgent(tool())).id })
    expect(text).toContain(`The agent belongs to another workspace and may not use the ${what} of this one`)
    expect(sent).toEqual([])
  })

  it('cannot use it as sub-agents either', async () => {
    const { id } = await strangersAgent({ type: 'http', http: { url: `${origin}/echo`, auth: secret } })
    const chatId = await chatWith(world, { tools: [{ name: 'helper', type: 'agent', agent: { id } }] })
    const before = requests.length
    await answer(world, chatId, says('', { name: 'helper', arguments: { message: 'look' } }))
    const body = { filters: [{ field: 'parent_id', value: chatId }] }
    const below = (await world.call('owner', 'POST /chats/list', { body })).data.items[0]?.id
    await answer(world, below, says('', { name: 'get', arguments: {} }))
    expect((await told(below)).text).toContain('another workspace')
    expect(requests.slice(before)).toEqual([])
  })

  it('can use what was connected for them', async () => {
    const { id } = await strangersAgent({ type: 'call', call: { url: `${origin}/echo`, auth: connection } })
    const { db } = world.open.platform
    const row = db.updateTable('credentials').where('provider', '=', 'groq').where('team_id', '=', world.team.id)
    await row.set({ scope: 'agent', metadata: JSON.stringify({ agent_id: id }) }).execute()
    const { sent } = await called({ agent_id: id })
    await row.set({ scope: 'user', metadata: '{}' }).execute()
    expect(JSON.stringify(sent[0]?.headers)).toContain(groq)
  })

  it('that were transferred to the workspace use its secrets like its own agents', async () => {
    const { id } = await strangersAgent({ type: 'http', http: { url: `${origin}/echo`, auth: secret } })
    const { db } = world.open.platform
    await db.updateTable('agents').set({ team_id: world.team.id }).where('id', '=', id).execute()
    const { sent } = await called({ agent_id: id })
    expect(sent[0]?.headers.authorization).toBe(`Bearer ${key}`)
  })
})

describe('app tools', () => {
  it('have descriptions as short as in a catalog', async () => {
    const agent_description = `Draws\n  what ${'it is given '.repeat(40)}`
    const made = await world.call('owner', 'POST /apps', {
      body: {
        name: `draws-${Date.now()}`,
        agent_description,
        version: { repository: 'https://bundles.example.com/draw.zip' },
      },
    })
    const chatId = await chatWith(world, { tools: [{ name: 'draw', type: 'app', app: { id: made.data.id } }] })
    const { tools = [] } = (await modelTask(world, chatId)).input
    const shown = tools.find((tool) => tool.function.name === 'draw')?.function as { description?: string } | undefined
    expect(shown?.description).toMatch(/^Draws what .*\.\.\.$/)
    expect(shown?.description).toHaveLength(200)
  })

  it('are tasks whose output is the result; two of one turn run side by side', async () => {
    const app = await openApp(world)
    const tools = [{ name: 'draw', type: 'app', app: { id: app.id, input: { size: 3 } } }]
    const chatId = await chatWith(world, { tools })
    await answer(
      world,
      chatId,
      says('', { name: 'draw', arguments: { n: 1 } }, { name: 'draw', arguments: { n: 2 }, id: 'b' }),
    )
    const calls = await callsOf(world, chatId)
    expect(calls.map(({ status }) => status)).toEqual(['in_progress', 'in_progress'])
    const { data } = await world.call('owner', `GET /tasks/${calls[0]?.execution_id}`)
    expect(data).toMatchObject({ input: { size: 3, n: 1 }, chat_id: chatId, visibility: 'private' })
    await endTask(world, calls[0]?.execution_id ?? '', { output: { url: 'u' } })
    await endTask(world, calls[1]?.execution_id ?? '', { error: 'no paper' })
    const { context, text } = await told(chatId)
    expect([context.at(-1)?.text, text]).toEqual(['{"url":"u"}', 'no paper'])
  })

  it('need the scope that running an app needs', async () => {
    const app = await openApp(world)
    const model = await modelApp(world)
    const agent_config = { core_app: { id: model.id }, tools: [{ name: 'draw', type: 'app', app: { id: app.id } }] }
    const said = await run(world, { agent_config }, 'key:agents:execute,agents:read,conversations:read')
    await answer(world, said.assistant_message.chat_id, says('', { name: 'draw' }))
    expect((await modelTask(world, said.assistant_message.chat_id)).input.text).toContain('apps:execute')
  })
})

describe('sub-agents', () => {
  it('get the message and inherit the context; their result is the call’s; stopping the parent stops them', async () => {
    const model = await modelApp(world)
    const child = await givenAgent(world, 'owner', { core_app: { id: model.id }, system_prompt: 'For {{context.who}}' })
    const tools = [{ name: 'helper', type: 'agent', agent: { id: child.id } }]
    const body = { agent_config: { core_app: { id: model.id }, tools }, context: { who: 'Ada' } }
    const chatId = (await run(world, body)).assistant_message.chat_id
    await answer(world, chatId, says('', { name: 'helper', arguments: { message: 'add' } }))
    const children = await world.call('owner', 'POST /chats/list', {
      body: { filters: [{ field: 'parent_id', value: chatId }] },
    })
    const [own] = children.data.items
    const listed = await world.call('owner', 'POST /chats/list', {
      body: { filters: [{ field: 'name', operator: 'is_not_empty' }], preloads: ['children'] },
    })
    const parent = listed.data.items.find((item: { id: string }) => item.id === chatId)
    expect(parent.children).toMatchObject([{ id: own.id, parent_id: chatId }])
    const asked = await answer(
      world,
      own.id,
      says('', { name: 'finish', arguments: { status: 'succeeded', result: { sum: 3 } } }),
    )
    expect(asked).toMatchObject({ text: 'add', system_prompt: 'For Ada' })
    expect((await modelTask(world, chatId)).input.text).toBe('{"sum":3}')
    await answer(world, chatId, says('', { name: 'helper', arguments: { message: 'again' } }))
    await world.call('owner', `POST /chats/${chatId}/stop`)
    await until(async () => {
      const { data } = await world.call('owner', 'POST /chats/list', {
        body: { filters: [{ field: 'parent_id', value: chatId }] },
      })
      return data.items.every((item: { status: string }) => item.status === 'idle' || item.status === 'completed')
    })
  })

  const childOf = async (chatId: string): Promise<string> => {
    const body = { filters: [{ field: 'parent_id', value: chatId }] }
    return (await world.call('owner', 'POST /chats/list', { body })).data.items[0]?.id
  }

  it('use their own default variables; a missing required one fails the call', async () => {
    const model = await modelApp(world)
    const helper = async (variable: object) => {
      const context = [{ name: 'tone', ...variable }]
      const config = { core_app: { id: model.id }, system_prompt: 'Be {{context.tone}}', context }
      const { id } = await givenAgent(world, 'owner', config)
      const chatId = await chatWith(world, { tools: [{ name: 'helper', type: 'agent', agent: { id } }] })
      await answer(world, chatId, says('', { name: 'helper', arguments: { message: 'add' } }))
      return chatId
    }
    const below = await childOf(await helper({ default: 'kind' }))
    expect((await modelTask(world, below)).input.system_prompt).toBe('Be kind')
    const without = await helper({ required: true })
    expect((await callsOf(world, without))[0]).toMatchObject({ status: 'failed', result: 'context.tone is required' })
  })

  it('have no widgets and cannot spawn agents, even under other names', async () => {
    const model = await modelApp(world)
    const tools = [
      { name: 'form', type: 'internal', internal: { category: 'widget', operation: 'widget_ui' } },
      { name: 'done', type: 'internal', internal: { category: 'finish', operation: 'finish' } },
    ]
    const { id } = await givenAgent(world, 'owner', { core_app: { id: model.id }, tools })
    const chatId = await chatWith(world, { tools: [{ name: 'helper', type: 'agent', agent: { id } }] })
    await answer(world, chatId, says('', { name: 'helper', arguments: { message: 'add' } }))
    const finished = says('', { name: 'done', arguments: { status: 'succeeded', result: 3 } })
    const names = (await answer(world, await childOf(chatId), finished)).tools?.map((tool) => tool.function.name)
    expect(names).not.toContain('form')
    expect((await modelTask(world, chatId)).input.text).toBe('3')
  })

  it('can be nested five levels deep', async () => {
    const model = await modelApp(world)
    const agent = await givenAgent(world, 'owner', { core_app: { id: model.id } })
    const tools = [{ name: 'again', type: 'agent', agent: { id: agent.id } }]
    await world.call('owner', `POST /agents/${agent.id}`, { body: { version: { core_app: { id: model.id }, tools } } })
    let chatId = (await run(world, { agent_id: agent.id })).assistant_message.chat_id
    for (let depth = 1; depth <= 5; depth += 1) {
      await answer(world, chatId, says('', { name: 'again', arguments: { message: 'deeper' } }))
      const { data } = await world.call('owner', 'POST /chats/list', {
        body: { filters: [{ field: 'parent_id', value: chatId }] },
      })
      chatId = data.items[0].id
    }
    await answer(world, chatId, says('', { name: 'again', arguments: { message: 'deeper' } }))
    expect((await modelTask(world, chatId)).input.text).toContain('depth_limit')
  })
})

describe('built-in tools that are operations', () => {
  const withArtifacts = { internal_tools: { artifact: true } }

  it('an agent publishes a document, updates it, and reads it', async () => {
    const chatId = await chatWith(world, withArtifacts)
    await answer(
      world,
      chatId,
      says('', { name: 'artifact_publish', arguments: { title: 'Report', content: '# One', type: 'markdown' } }),
    )
    const { id } = JSON.parse((await told(chatId)).text)
    const next = { title: 'Report', content: '# Two', artifact_id: id }
    await answer(world, chatId, says('', { name: 'artifact_publish', arguments: next }))
    await told(chatId)
    await answer(world, chatId, says('', { name: 'artifact_read', arguments: { artifact_id: id } }))
    expect((await told(chatId)).text).toBe('# Two')
    expect((await world.call('owner', `GET /artifacts/${id}`)).data).toMatchObject({ title: 'Report' })
  })

  it('a run without the scope is rejected', async () => {
    const app = await modelApp(world)
    const body = { agent_config: { core_app: { id: app.id }, ...withArtifacts } }
    const said = await run(world, body, 'key:agents:execute,agents:read,apps:read,apps:execute')
    const chatId = said.assistant_message.chat_id
    await answer(world, chatId, says('', { name: 'artifact_publish', arguments: { title: 'T', content: 'c' } }))
    expect((await told(chatId)).text).toContain('artifacts:write')
  })

  it('a skill of the workspace is read by its id', async () => {
    const made = await world.call('owner', 'POST /skills', {
      body: { name: 'grinding', description: 'How to grind', instructions: 'Grind slowly.' },
    })
    expect(made.status, made.text).toBe(200)
    const chatId = await chatWith(world, {
      skills: [{ name: 'grinding', description: 'How to grind', skill_id: made.data.id }],
    })
    await answer(world, chatId, says('', { name: 'skill_load', arguments: { name: 'grinding' } }))
    expect((await told(chatId)).text).toContain('Grind slowly.')
  })

  it.each([
    ['the id', (id: string) => id, 'Grind slowly.'],
    ['the short id', (id: string) => id.slice(0, 8), 'Grind slowly.'],
    ['no id', () => '0'.repeat(26), 'Version not found'],
  ])('the pinned version of a skill is read: %s', async (_claim, pinOf, text) => {
    const publish = async (instructions: string) => {
      const body = { name: 'roasting', description: 'How to roast', instructions }
      return (await world.call('owner', 'POST /skills', { body })).data
    }
    const first = await publish('Grind slowly.')
    await publish('Grind fast.')
    const skills = [{ name: 'roast', skill_id: first.id, version_id: pinOf(first.version_id) }]
    const chatId = await chatWith(world, { skills })
    await answer(world, chatId, says('', { name: 'skill_load', arguments: { name: 'roast' } }))
    expect((await told(chatId)).text).toBe(text)
  })
})
