// Guarantees: output of models, tools and handlers with characters that the database cannot store, or truncated in the
// middle of a character, is cleaned up, and the run continues.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../../../testing/until.ts'
import { createWorld, type World } from '../../../testing/world.ts'
import { answer, callsOf, chatWith, client, endTask, getChat, modelTask, says } from '../testing/given.ts'

let world: World
let target: Server
let origin = ''
let reply = { status: 200, body: '' }

beforeAll(async () => {
  world = await createWorld({ runJobs: true, settings: { CHAT_MIN_BUSY_MS: '0', ALLOW_PRIVATE_HOSTS: '*' } })
  target = createServer((_request, response) => {
    response.statusCode = reply.status
    response.end(reply.body)
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

/** The limit splits the surrogate pair of the last character. */
const cutAt = (limit: number): string => `${'x'.repeat(limit - 1)}😀`

const nested = (deep: number): string => `{"x":${'['.repeat(deep)}${']'.repeat(deep)}}`

it('an HTTP tool answers with a NUL', async () => {
  reply = { status: 200, body: 'a\0b' }
  const chatId = await chatWith(world, { tools: [{ name: 'get', type: 'http', http: { url: origin } }] })
  await answer(world, chatId, says('', { name: 'get' }))
  expect((await told(chatId)).text).toBe('a\uFFFDb')
})

it('the rejection by a webhook tool is truncated', async () => {
  reply = { status: 500, body: cutAt(2000) }
  const chatId = await chatWith(world, { tools: [{ name: 'begin', type: 'hook', hook: { url: origin } }] })
  await answer(world, chatId, says('', { name: 'begin' }))
  expect((await told(chatId)).text).toContain(`answered with status 500: ${'x'.repeat(1999)}\uFFFD`)
})

it.each([
  ['its injection contains a NUL', { inject: { content: 'a\0b' } }],
  ['its injection is truncated', { inject: { content: cutAt(100_000) } }],
  ['its system text is truncated', { system: cutAt(100_000) }],
])('of a handler: %s', async (_claim, said) => {
  reply = { status: 200, body: JSON.stringify(said) }
  const hooks = [{ event: 'agent.turn_start', type: 'webhook', handler: `${origin}/` }]
  const chatId = await chatWith(world, { hooks })
  expect((await told(chatId)).system_prompt).toContain('\uFFFD')
})

it('the reason with which a handler asks a person is truncated', async () => {
  reply = { status: 200, body: JSON.stringify({ decision: 'suspend', reason: cutAt(100_000) }) }
  const hooks = [{ event: 'agent.turn_start', type: 'webhook', handler: `${origin}/` }]
  const chatId = await chatWith(world, { hooks })
  const [asked] = await until(async () => {
    const { pending_interrupts } = await getChat(world, chatId)
    return pending_interrupts.length > 0 && pending_interrupts
  })
  expect(asked?.meta).toMatchObject({ reason: `${'x'.repeat(99_999)}\uFFFD` })
})

it.each([
  ['the name of a tool', { function: { name: cutAt(128), arguments: '{}' } }],
  ['the id of a call', { id: cutAt(128), function: { name: 'look', arguments: '{}' } }],
  ['arguments that are not JSON', { function: { name: 'look', arguments: cutAt(500) } }],
  ['arguments that are nested too deeply', { function: { name: 'look', arguments: nested(100_000) } }],
])('of a model: %s', async (_claim, call) => {
  const chatId = await chatWith(world, { tools: [client('look')] })
  await answer(world, chatId, { response: '', tool_calls: [call] })
  await told(chatId)
  expect((await callsOf(world, chatId))[0]?.status).toBe('failed')
})

it('arguments that are truncated for the explaining model', async () => {
  const chatId = await chatWith(world, { tools: [client('look', { require_approval: true })] })
  await answer(world, chatId, says('', { name: 'look', arguments: { x: 1, y: `${'y'.repeat(20_000 - 13)}😀` } }))
  const [call] = await callsOf(world, chatId)
  const explained = world.call('owner', `POST /chats/${chatId}/tools/${call?.id}/explain`)
  const asked = await until(async () => {
    const { db } = world.open.platform
    const tasks = await db.selectFrom('tasks').select(['id', 'input']).execute()
    return tasks.find(({ input }) => JSON.stringify(input).includes('y\uFFFD'))
  })
  await endTask(world, asked.id, { output: says('{"risk_level": "low", "explanation": "It looks."}') })
  expect((await explained).data).toMatchObject({ risk_level: 'low', explanation: 'It looks.' })
})
