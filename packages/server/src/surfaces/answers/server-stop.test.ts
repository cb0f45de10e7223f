// Guarantees: when a server stops during a stream, the run continues, and a client that resumes at another server
// receives the whole text once. No message is sent twice.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { publishDelta, taskSubject } from '#execution/tasks/service.ts'
import { system } from '#platform/core/actor.ts'
import { createCtx } from '#platform/core/ctx.ts'
import { modelTask, says } from '../../agents/chats/testing/given.ts'
import { openReplica } from '../../testing/replica.ts'
import { until } from '../../testing/until.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { type GivenModel, givenModel, modelAnswers, modelCalled } from '../openai/testing/given.ts'

let world: World
let given: GivenModel
let address = ''
let headers: Record<string, string>

beforeAll(async () => {
  world = await createWorld()
  given = await givenModel(world)
  address = await world.listen()
  const token = await world.token('key:agents:execute,agents:read,conversations:read')
  headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
})
afterAll(() => world?.close())

type Post = { path: string; body: object; key?: string }

const post = (origin: string, { path, body, key }: Post): Promise<Response> =>
  fetch(`${origin}${path}`, {
    method: 'POST',
    headers: { ...headers, ...(key !== undefined && { 'idempotency-key': key }) },
    body: JSON.stringify(body),
  })

/** Streams from a server that stops after the first words; returns what the client received until then. */
const untilStop = async (request: Post): Promise<{ received: string; chatId: string }> => {
  const replica = await openReplica(world)
  const response = await post(await replica.listen(), request)
  const chatId = await modelCalled(world)
  const { id } = await modelTask(world, chatId)
  const { platform } = replica.open
  await until(() => platform.bus.hasListener(taskSubject(id)))
  publishDelta(createCtx(platform, system), id, 1, { value: { response: 'one ' }, sizeBytes: 40 })
  let received = ''
  let closed: Promise<void> | undefined
  const read = async (): Promise<void> => {
    for await (const chunk of response.body ?? []) {
      received += Buffer.from(chunk).toString()
      if (received.includes('"one "')) closed ??= replica.close()
    }
  }
  // A clean end would mean that the answer is complete.
  await expect(read()).rejects.toThrow('terminated')
  await closed
  return { received, chatId }
}

const linesOf = (text: string): Record<string, unknown>[] =>
  [...text.matchAll(/^data: (\{.*)$/gm)].map(([, line = '']) => JSON.parse(line) as Record<string, unknown>)

const sentMessages = async (chatId: string): Promise<number> => {
  const { data } = await world.call('owner', `GET /chats/${chatId}/messages`)
  return data.items.filter(({ role }: { role: string }) => role === 'user').length
}

it('a response is read by its id', async () => {
  const body = { model: given.agent, input: 'Count', stream: true }
  const { received, chatId } = await untilStop({ path: '/v1/responses', body })
  const created = linesOf(received)[0]?.response as { id: string }
  await modelAnswers(world, says('one two'))
  const read = await world.call('owner', `GET /v1/responses/${created.id}`)
  expect(read.json).toMatchObject({ id: created.id, status: 'completed', output_text: 'one two' })
  expect(await sentMessages(chatId)).toBe(1)
})

it('a completion is repeated with its key', async () => {
  const body = { model: given.agent, messages: [{ role: 'user', content: 'Count' }], stream: true }
  const request = { path: '/v1/chat/completions', body, key: 'count-once' }
  const { chatId } = await untilStop(request)
  const again = await post(address, request)
  const answered = modelAnswers(world, says('one two'), ['one '])
  const text = linesOf(await again.text()).map(({ choices }) => {
    const [choice] = choices as { delta: { content?: string } }[]
    return choice?.delta.content ?? ''
  })
  await answered
  expect(text.join('')).toBe('one two')
  expect(await sentMessages(chatId)).toBe(1)
})

it('a task is subscribed to again', async () => {
  const path = `/a2a/${given.agentId}`
  const message = { role: 'ROLE_USER', messageId: '1', parts: [{ text: 'Count' }] }
  const call = { jsonrpc: '2.0', id: 1 }
  const { received, chatId } = await untilStop({
    path,
    body: { ...call, method: 'SendStreamingMessage', params: { message } },
  })
  const [first] = linesOf(received) as { result: { task: { id: string } } }[]
  const params = { id: first?.result.task.id }
  const again = await post(address, { path, body: { ...call, method: 'SubscribeToTask', params } })
  const answered = modelAnswers(world, says('one two'), ['one '])
  type Event = { result: { artifactUpdate?: { artifact: { parts: { text: string }[] } } } }
  const events = linesOf(await again.text()) as Event[]
  await answered
  const texts = events.map(({ result }) => result.artifactUpdate?.artifact.parts[0]?.text ?? '')
  expect(texts.join('')).toBe('one two')
  expect(events.at(-1)?.result).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } })
  expect(await sentMessages(chatId)).toBe(1)
})
