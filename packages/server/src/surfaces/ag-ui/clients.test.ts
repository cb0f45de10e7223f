// Guarantees: the published AG-UI client works unchanged: text and thoughts arrive as messages, its tools come back as
// calls, and a thread is one chat.
import { HttpAgent } from '@ag-ui/client'
import { EventType, type Message } from '@ag-ui/core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { failModel, says } from '../../agents/chats/testing/given.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { type GivenModel, givenModel, modelAnswers, modelCalled } from '../openai/testing/given.ts'

let world: World
let given: GivenModel
let url = ''
let headers: Record<string, string>

beforeAll(async () => {
  world = await createWorld()
  given = await givenModel(world)
  url = `${await world.listen()}/ag-ui/${given.agentId}`
  headers = { Authorization: `Bearer ${await world.token('key:agents:execute,agents:read')}` }
})
afterAll(() => world?.close())

const user = (content: string): Message => ({ id: crypto.randomUUID(), role: 'user', content })

const agentWith = (...initialMessages: Message[]): HttpAgent => new HttpAgent({ url, headers, initialMessages })

const textsOf = ({ messages }: HttpAgent): unknown[] => messages.map(({ role, content }) => [role, content])

it('streams a message, and a thread continues its chat', async () => {
  const agent = agentWith(user('Count'))
  const types: string[] = []
  const run = agent.runAgent({}, { onEvent: ({ event }) => void types.push(event.type) })
  const first = await modelAnswers(world, says('one two'), ['one '])
  await run
  expect(types).toEqual([
    EventType.RUN_STARTED,
    EventType.TEXT_MESSAGE_START,
    EventType.TEXT_MESSAGE_CONTENT,
    EventType.TEXT_MESSAGE_CONTENT,
    EventType.TEXT_MESSAGE_END,
    EventType.RUN_FINISHED,
  ])
  expect(textsOf(agent)).toEqual([
    ['user', 'Count'],
    ['assistant', 'one two'],
  ])
  agent.addMessage(user('More'))
  const again = agent.runAgent()
  const second = await modelAnswers(world, says('three'))
  await again
  expect(second.chatId).toBe(first.chatId)
  expect(textsOf(agent).at(-1)).toEqual(['assistant', 'three'])
})

it('a thread with the same words is another chat', async () => {
  const chats = []
  for (const _ of [1, 2]) {
    const run = agentWith(user('Same')).runAgent()
    chats.push((await modelAnswers(world, says('Words'))).chatId)
    await run
  }
  expect(chats[0]).not.toBe(chats[1])
})

it('a tool of the client is called by it, and the run continues with its result', async () => {
  const agent = agentWith(user('Weather in Paris?'))
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  const tools = [{ name: 'weather', description: 'The weather', parameters }]
  const run = agent.runAgent({ tools, context: [{ description: 'Language', value: 'French' }] })
  const first = await modelAnswers(world, says('Looking', { name: 'weather', arguments: { city: 'Paris' } }))
  await run
  expect(first.input.system_prompt).toContain('Language: French')
  const answer = agent.messages.at(-1)
  const [call] = answer?.role === 'assistant' ? (answer.toolCalls ?? []) : []
  expect(answer?.content).toBe('Looking')
  expect(call?.function).toEqual({ name: 'weather', arguments: '{"city":"Paris"}' })
  agent.addMessage({ id: crypto.randomUUID(), role: 'tool', toolCallId: call?.id ?? '', content: 'Sunny' })
  const again = agent.runAgent({ tools })
  const second = await modelAnswers(world, says('It is sunny'))
  await again
  expect(second.chatId).toBe(first.chatId)
  expect(JSON.stringify(second.input)).toContain('Sunny')
  expect(textsOf(agent).at(-1)).toEqual(['assistant', 'It is sunny'])
})

it('files reach the model', async () => {
  const source = { type: 'data' as const, value: 'YSxi', mimeType: 'text/csv' }
  const content = [
    { type: 'text' as const, text: 'Read' },
    { type: 'document' as const, source },
  ]
  const run = agentWith({ id: '1', role: 'user', content }).runAgent()
  const { input } = await modelAnswers(world, says('Done'))
  expect(input).toMatchObject({ text: 'Read', files: ['data:text/csv;base64,YSxi'] })
  await run
})

it('a failure of the model ends the run with its error', async () => {
  const errors: unknown[] = []
  const agent = agentWith(user('Fail'))
  const run = agent
    .runAgent({}, { onRunErrorEvent: ({ event }) => void errors.push([event.message, event.code]) })
    .catch((error: unknown) => error)
  await failModel(world, await modelCalled(world), 'overloaded')
  await run
  expect(errors).toEqual([['overloaded', 'model_failed']])
})

it('a refusal before the run is an HTTP error', async () => {
  const agent = new HttpAgent({ url, headers: {}, initialMessages: [user('Hi')] })
  await expect(agent.runAgent()).rejects.toMatchObject({ status: 401 })
})
