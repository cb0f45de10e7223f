// Guarantees: the published client of the Agent2Agent protocol works unchanged, in both versions of the protocol. Text
// arrives once and in order, also for a client that subscribes again, and a caller sees only tasks that it started.
import { Role, type SendMessageRequest, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk'
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failModel, says } from '../../agents/chats/testing/given.ts'
import { type As, createWorld, type World } from '../../testing/world.ts'
import { type GivenModel, givenModel, modelAnswers, modelCalled } from '../openai/testing/given.ts'

let world: World
let given: GivenModel
let client: Client
let address = ''

/** The card names the public address of the server, which listens on another port here. */
const fetchAs = async (as: As, change: (card: Record<string, unknown>) => void = () => {}): Promise<typeof fetch> => {
  const token = await world.token(as)
  return async (url, init) => {
    const { pathname } = new URL(url instanceof Request ? url.url : url)
    const headers = { ...(init?.headers as Record<string, string>), authorization: `Bearer ${token}` }
    const answer = await fetch(`${address}${pathname}`, { ...init, headers })
    if (!pathname.endsWith('/card')) return answer
    const card = (await answer.json()) as Record<string, unknown>
    change(card)
    return Response.json(card)
  }
}

const clientWith = (fetchImpl: typeof fetch): Promise<Client> => {
  const legacyCompat = { enabled: true }
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl, legacyCompat })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl, legacyCompat }),
    }),
  )
  return factory.createFromUrl(address, `/agents/${given.agentId}/card`)
}

beforeAll(async () => {
  world = await createWorld()
  address = await world.listen()
  const send = { name: 'send', type: 'http', require_approval: true, http: { url: 'http://127.0.0.1:9/x' } }
  given = await givenModel(world, { tools: [send] })
  client = await clientWith(await fetchAs('key:agents:execute,agents:read'))
})
afterAll(() => world?.close())

type Content = NonNullable<NonNullable<SendMessageRequest['message']>['parts'][number]['content']>

const part = (content: Content, mediaType = 'text/plain', filename = '') => ({
  content,
  metadata: undefined,
  filename,
  mediaType,
})

type MessageParts = Partial<NonNullable<SendMessageRequest['message']>>

const request = (text: string, more: MessageParts = {}): SendMessageRequest => ({
  tenant: '',
  configuration: undefined,
  metadata: undefined,
  message: {
    messageId: crypto.randomUUID(),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [part({ $case: 'text', value: text })],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...more,
  },
})

const asTask = (sent: Awaited<ReturnType<Client['sendMessage']>>): Task => {
  if ('messageId' in sent) throw new Error('The answer is no task')
  return sent
}

const textOf = ({ payload }: StreamResponse): string => {
  if (payload?.$case !== 'artifactUpdate') return ''
  const content = payload.value.artifact?.parts[0]?.content
  return content?.$case === 'text' ? content.value : ''
}

const readAll = async (events: AsyncIterable<StreamResponse>) => {
  const all: StreamResponse[] = []
  for await (const event of events) all.push(event)
  const last = all.at(-1)?.payload
  return {
    cases: all.map(({ payload }) => payload?.$case),
    text: all.map(textOf).join(''),
    state: last?.$case === 'statusUpdate' ? last.value.status?.state : undefined,
  }
}

const answerOf = ({ artifacts }: Task): unknown => artifacts[0]?.parts[0]?.content

describe('version 1.0', () => {
  it('sends a message, continues its context and reads the task', async () => {
    const sent = client.sendMessage(request('Hi'))
    const first = await modelAnswers(world, says('Hello'))
    const task = asTask(await sent)
    expect(task).toMatchObject({ contextId: first.chatId, status: { state: TaskState.TASK_STATE_COMPLETED } })
    expect(answerOf(task)).toEqual({ $case: 'text', value: 'Hello' })
    const again = client.sendMessage(request('More', { contextId: task.contextId }))
    const second = await modelAnswers(world, says('Sure'))
    expect(second.input.context.map(({ text }) => text)).toEqual(expect.arrayContaining(['Hi', 'Hello']))
    expect(asTask(await again).contextId).toBe(task.contextId)
    expect(answerOf(await client.getTask({ tenant: '', id: task.id }))).toEqual({ $case: 'text', value: 'Hello' })
  })

  it('returns at once if asked to, and the task is read later', async () => {
    const configuration = {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      returnImmediately: true,
    }
    const task = asTask(await client.sendMessage({ ...request('Later'), configuration }))
    expect(task.status?.state).toBe(TaskState.TASK_STATE_WORKING)
    await modelAnswers(world, says('Now'))
    expect(answerOf(await client.getTask({ tenant: '', id: task.id }))).toEqual({ $case: 'text', value: 'Now' })
  })

  it('gives files and data to the model', async () => {
    const file = part({ $case: 'raw', value: Buffer.from('a,b') }, 'text/csv', 'numbers.csv')
    const parts = [part({ $case: 'data', value: { x: 1 } }), file]
    const sent = client.sendMessage(request('', { parts }))
    const { input } = await modelAnswers(world, says('Read'))
    expect(input).toMatchObject({ text: '{"x":1}', files: ['data:text/csv;base64,YSxi'] })
    await sent
  })

  it('streams the text and the status', async () => {
    const read = readAll(client.sendMessageStream(request('Count')))
    await modelAnswers(world, says('one two'), ['one '])
    expect(await read).toEqual({
      cases: ['task', 'artifactUpdate', 'artifactUpdate', 'statusUpdate'],
      text: 'one two',
      state: TaskState.TASK_STATE_COMPLETED,
    })
  })

  it('a second subscription receives the whole text', async () => {
    const first = client.sendMessageStream(request('Again'))
    const { value } = await first.next()
    const id = value?.payload?.$case === 'task' ? value.payload.value.id : ''
    await first.return(undefined)
    const read = readAll(client.resubscribeTask({ tenant: '', id }))
    await modelAnswers(world, says('one two'), ['one '])
    expect(await read).toMatchObject({ text: 'one two', state: TaskState.TASK_STATE_COMPLETED })
    await expect(readAll(client.resubscribeTask({ tenant: '', id }))).rejects.toThrow('The task is over')
  })

  it('an approval ends the answer, and a subscription follows the rest', async () => {
    const sent = client.sendMessage(request('Send'))
    const { chatId } = await modelAnswers(world, says('', { name: 'send' }))
    const task = asTask(await sent)
    expect(task.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED)
    expect(JSON.stringify(task.status?.message)).toContain(`/console/chats/${chatId}`)
    const chat = await world.call('owner', `GET /chats/${chatId}`)
    const [{ id }] = chat.data.pending_interrupts
    await world.call('owner', `POST /interrupts/${id}/resolve`, { body: { decision: 'deny' } })
    const events = client.resubscribeTask({ tenant: '', id: task.id })
    expect((await events.next()).value?.payload?.$case).toBe('task')
    const rest = readAll(events)
    await modelAnswers(world, says('Not sent'))
    expect(await rest).toMatchObject({ text: 'Not sent', state: TaskState.TASK_STATE_COMPLETED })
  })

  it('cancels a task once', async () => {
    const sent = client.sendMessage(request('Wait'))
    const chatId = await modelCalled(world)
    const { id } = (await world.call('owner', `GET /chats/${chatId}`)).data.active_run
    const canceled = await client.cancelTask({ tenant: '', id, metadata: undefined })
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED)
    expect(asTask(await sent).status?.state).toBe(TaskState.TASK_STATE_CANCELED)
    const again = client.cancelTask({ tenant: '', id, metadata: undefined })
    await expect(again).rejects.toMatchObject({ name: 'TaskNotCancelableError' })
  })

  it('a failure of the model is the status of the task', async () => {
    const read = readAll(client.sendMessageStream(request('Fail')))
    await failModel(world, await modelCalled(world), 'overloaded')
    expect(await read).toMatchObject({ state: TaskState.TASK_STATE_FAILED, text: '' })
  })
})

describe('other callers', () => {
  it('neither tasks of another member nor runs of other chats exist', async () => {
    const sent = client.sendMessage(request('Mine'))
    await modelAnswers(world, says('Yours'))
    const { id, contextId } = asTask(await sent)
    const other = await clientWith(await fetchAs('member-key:agents:execute,agents:read'))
    const missing = { name: 'TaskNotFoundError' }
    await expect(other.getTask({ tenant: '', id })).rejects.toMatchObject(missing)
    await expect(other.cancelTask({ tenant: '', id, metadata: undefined })).rejects.toMatchObject(missing)
    await expect(readAll(other.resubscribeTask({ tenant: '', id }))).rejects.toMatchObject(missing)
    await expect(other.sendMessage(request('x', { contextId }))).rejects.toThrow('The contextId is unknown')
    const { data } = await world.call('owner', 'POST /agents/run', {
      body: { agent_id: given.agentId, input: { text: 'Hi' } },
    })
    await modelAnswers(world, says('In the console'))
    await expect(client.getTask({ tenant: '', id: data.assistant_message.agent_run_id })).rejects.toMatchObject(missing)
  })

  it('a request that is repeated with its key sends no second message', async () => {
    const params = { message: { role: 'ROLE_USER', messageId: '1', parts: [{ text: 'Once' }] } }
    const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params }
    const headers = { 'idempotency-key': 'a2a-once' }
    const first = world.call('owner', `POST /a2a/${given.agentId}`, { body, headers })
    const { chatId } = await modelAnswers(world, says('One'))
    const second = await world.call('owner', `POST /a2a/${given.agentId}`, { body, headers })
    expect(second.json).toEqual((await first).json)
    const { data } = await world.call('owner', `GET /chats/${chatId}/messages`)
    expect(data.items.filter(({ role }: { role: string }) => role === 'user')).toHaveLength(1)
  })
})

describe('version 0.3', () => {
  it('sends, streams, reads and cancels', async () => {
    const legacy = await clientWith(
      await fetchAs('key:agents:execute,agents:read', (card) => {
        // Clients of this version do not read it.
        delete card.supportedInterfaces
      }),
    )
    expect(legacy.protocolVersion).toBe('0.3')
    const sent = legacy.sendMessage(request('Hi'))
    await modelAnswers(world, says('Hello'))
    const task = asTask(await sent)
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
    expect(answerOf(await legacy.getTask({ tenant: '', id: task.id }))).toEqual({ $case: 'text', value: 'Hello' })
    const read = readAll(legacy.sendMessageStream(request('Count')))
    await modelAnswers(world, says('one two'), ['one '])
    expect(await read).toMatchObject({ text: 'one two', state: TaskState.TASK_STATE_COMPLETED })
    const again = legacy.cancelTask({ tenant: '', id: task.id, metadata: undefined })
    await expect(again).rejects.toMatchObject({ name: 'TaskNotCancelableError' })
  })
})
