// Guarantees: a key that a tool sends is never returned to a model or a person, in any form: in results, errors,
// redirects, through MCP or a sub-agent.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../testing/until.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { givenAgent, modelApp } from '../agents/testing/given.ts'
import { answer, chatWith, modelTask, says } from '../chats/testing/given.ts'
import { startMcpServer, type TestMcpServer } from './testing/mcp-server.ts'
import { formNames, inForm, secretForms } from './testing/secret-forms.ts'

const secret = 'sk+live/9f8e7d6c5b4a==very secret?'

let world: World
let target: Server
let mcp: TestMcpServer
let origin = ''
let received = 0

const sentKey = ({ headers }: IncomingMessage): string =>
  String(headers['x-hook-secret'] ?? headers['x-api-key'] ?? headers.authorization ?? '').replace(/^Bearer /, '')

/**
 * `/say/<form>`, `/fail/<form>`, `/go/<form>` (a redirect to the first), `/away/<form>` (a redirect to another origin).
 */
const reply = (request: IncomingMessage, response: ServerResponse): void => {
  const [, verb = '', form = ''] = decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname).split('/')
  const key = sentKey(request)
  if (key === secret) received += 1
  if (verb === 'go') return void response.writeHead(302, { location: `/say/${encodeURIComponent(form)}` }).end()
  if (verb === 'away') {
    const elsewhere = origin.replace('127.0.0.1', 'localhost')
    return void response.writeHead(302, { location: `${elsewhere}/say/${encodeURIComponent(form)}` }).end()
  }
  response.writeHead(verb === 'fail' ? 418 : 200).end(inForm(form, key))
}

beforeAll(async () => {
  world = await createWorld({ runJobs: true, settings: { CHAT_MIN_BUSY_MS: '0', ALLOW_PRIVATE_HOSTS: '*' } })
  mcp = await startMcpServer()
  target = createServer(reply)
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(target.address() as AddressInfo).port}`
})
afterAll(async () => {
  target?.closeAllConnections()
  target?.close()
  await world?.close()
  await mcp?.close()
})

const told = (chatId: string) => until(async () => modelTask(world, chatId).catch(() => undefined))

const needles = formNames.map((name) => secretForms[name](secret)).map((text) => text.replace(/=+$/, ''))

/** Asserts that nothing shown to the model or a person contains the key. */
const assertUnseen = async (chatId: string): Promise<void> => {
  const { input } = await told(chatId)
  const { data: chat } = await world.call('owner', `GET /chats/${chatId}`)
  const routes = [
    ...['', '/messages', '/trace', '/rules'].map((route) => `GET /chats/${chatId}${route}`),
    ...['', '/authority', '/interrupts'].map((route) => `GET /agent-runs/${chat.active_run.id}${route}`),
    'GET /audit-log',
  ]
  const texts = [JSON.stringify(input)]
  for (const route of routes) texts.push((await world.call('owner', route)).text)
  for (const text of texts) for (const needle of needles) expect(text.includes(needle)).toBe(false)
  expect(texts[0]).toContain('****')
}

const forms = { type: 'object', properties: { form: { type: 'string' } } }
const auth = { type: 'bearer', secret }
const http = (verb: string, more: object = {}) => ({
  name: 'ask',
  type: 'http',
  http: { url: `${origin}/${verb}/{{form}}`, method: 'GET', auth, input_schema: forms, ...more },
})
const askAll = (name: string, more: object = {}) =>
  says('', ...formNames.map((form, index) => ({ name, id: `c${index}`, arguments: { form, ...more } })))

const ways: [way: string, tool: () => Promise<object> | object, more?: object][] = [
  ['a result', () => http('say')],
  ['an error', () => http('fail')],
  ['a redirect to itself', () => http('go')],
  ['a key in its own header', () => http('say', { auth: { type: 'api_key', secret, header: 'X-API-Key' } })],
  [
    'a webhook that rejects',
    () => ({ name: 'ask', type: 'hook', hook: { url: `${origin}/fail/plain`, secret, input_schema: forms } }),
  ],
]

describe(`${ways.length * formNames.length + 3 * formNames.length} attempts`, () => {
  it.each(ways)(`by %s, in ${formNames.length} forms`, async (_way, tool) => {
    const chatId = await chatWith(world, { tools: [await tool()] })
    const before = received
    await answer(world, chatId, askAll('ask'))
    await assertUnseen(chatId)
    expect(received).toBeGreaterThanOrEqual(before + formNames.length)
  })

  it('by a redirect to another origin, which does not receive the key', async () => {
    const chatId = await chatWith(world, { tools: [http('away')] })
    await answer(world, chatId, askAll('ask'))
    const { input } = await told(chatId)
    for (const needle of needles) expect(JSON.stringify(input).includes(needle)).toBe(false)
  })

  it('by a tool of an MCP server, as a result and as an error', async () => {
    mcp.accepts = (bearer) => bearer === secret
    const made = await world.call('owner', 'POST /mcp-servers', {
      body: { name: 'Leaky', server_url: mcp.url, auth_type: 'api_key' },
    })
    const provider = `${made.data.slug}-mcp`
    await world.call('owner', 'POST /credentials', { body: { provider, type: 'api_key', api_key: secret } })
    const tools = [{ name: 'x', type: 'mcp', mcp: { server: made.data.slug } }]
    for (const refuse of [false, true]) {
      const chatId = await chatWith(world, { tools })
      await told(chatId)
      await answer(world, chatId, askAll('x_whoami', { refuse }))
      await assertUnseen(chatId)
    }
  })

  it('through a sub-agent', async () => {
    const model = await modelApp(world)
    const child = await givenAgent(world, 'owner', { core_app: { id: model.id }, tools: [http('say')] })
    const chatId = await chatWith(world, { tools: [{ name: 'helper', type: 'agent', agent: { id: child.id } }] })
    await answer(world, chatId, says('', { name: 'helper', arguments: { message: 'ask' } }))
    const filters = [{ field: 'parent_id', value: chatId }]
    const below = (await world.call('owner', 'POST /chats/list', { body: { filters } })).data.items[0].id
    await answer(world, below, askAll('ask'))
    await assertUnseen(below)
    const { input } = await told(below)
    await answer(world, below, says(JSON.stringify(input)))
    await assertUnseen(chatId)
  })
})
