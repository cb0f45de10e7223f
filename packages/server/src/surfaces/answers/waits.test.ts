// Guarantees: an answer that is awaited for minutes sends whitespace every ten seconds, so that no proxy ends the
// connection; a failure after that is a body that clients of each protocol recognize.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { failModel, says } from '../../agents/chats/testing/given.ts'
import { until } from '../../testing/until.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { type GivenModel, givenModel, modelAnswers, modelCalled } from '../openai/testing/given.ts'

let world: World
let given: GivenModel
let address = ''
let authorization = ''

beforeAll(async () => {
  world = await createWorld()
  given = await givenModel(world)
  address = await world.listen()
  authorization = `Bearer ${await world.token('key:agents:execute,agents:read')}`
})
afterAll(() => world?.close())

// Only timers that begin from here on: those of the heartbeats.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

const requests = {
  'chat completions': () => ({
    path: '/v1/chat/completions',
    body: { model: given.agent, messages: [{ role: 'user', content: 'Hi' }] },
  }),
  responses: () => ({ path: '/v1/responses', body: { model: given.agent, input: 'Hi' } }),
  Agent2Agent: () => ({
    path: `/a2a/${given.agentId}`,
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message: { role: 'ROLE_USER', messageId: '1', parts: [{ text: 'Hi' }] } },
    },
  }),
}

/** Resolves with the headers, while the model is still being called. */
const waitingAnswer = async (name: keyof typeof requests): Promise<{ response: Response; chatId: string }> => {
  const { path, body } = requests[name]()
  const asked = fetch(`${address}${path}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const chatId = await modelCalled(world)
  await until(() => vi.getTimerCount() > 0)
  vi.advanceTimersByTime(20_000)
  return { response: await asked, chatId }
}

describe.each(Object.keys(requests) as (keyof typeof requests)[])('%s', (name) => {
  it('sends whitespace, then the answer', async () => {
    const { response } = await waitingAnswer(name)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    await modelAnswers(world, says('Hello'))
    const text = await response.text()
    expect(text.startsWith('  {')).toBe(true)
    expect(JSON.stringify(JSON.parse(text))).toContain('Hello')
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a late failure', () => {
  const failed = async (name: keyof typeof requests): Promise<unknown> => {
    const { response, chatId } = await waitingAnswer(name)
    await failModel(world, chatId, 'overloaded')
    return JSON.parse(await response.text())
  }

  it('of a completion has an error and no choices', async () => {
    const error = { message: 'overloaded', code: 'model_failed' }
    expect(await failed('chat completions')).toMatchObject({ object: 'chat.completion', choices: [], error })
  })

  it('of a response is its status', async () => {
    expect(await failed('responses')).toMatchObject({ status: 'failed', error: { message: 'overloaded' } })
  })

  it('of a task is its status', async () => {
    expect(await failed('Agent2Agent')).toMatchObject({ result: { task: { status: { state: 'TASK_STATE_FAILED' } } } })
  })
})

it('a client that leaves ends the heartbeats and not the run', async () => {
  const { response, chatId } = await waitingAnswer('responses')
  await response.body?.cancel()
  await until(() => vi.getTimerCount() === 0)
  await modelAnswers(world, says('Kept'))
  const { data } = await world.call('owner', `GET /chats/${chatId}/messages`)
  expect(JSON.stringify(data.items)).toContain('Kept')
})
