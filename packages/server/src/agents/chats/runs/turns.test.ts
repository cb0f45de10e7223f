// Guarantees: a run calls the model, makes its calls, calls it again, and ends; its messages form a transcript without
// gaps.
import { taskStatus } from '@millrace/contract/task-status'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { move, publishDelta } from '#execution/tasks/service.ts'
import { createWorld, type World } from '../../../testing/world.ts'
import { findLatestRun } from '../store.ts'
import {
  answer,
  callsOf,
  chatWith,
  client,
  failModel,
  getChat,
  messagesOf,
  modelTask,
  run,
  says,
} from '../testing/given.ts'

let world: World
beforeAll(async () => {
  world = await createWorld({ runJobs: true, settings: { CHAT_MIN_BUSY_MS: '0' } })
})
afterAll(() => world?.close())

const post = async (route: string, body?: unknown) => {
  const result = await world.call('owner', route, { body })
  if (result.status !== 200) throw new Error(result.text)
  return result.data
}

it('of runs with the same start time the last one is the latest', async () => {
  const chatId = await chatWith(world)
  await answer(world, chatId, says('1'))
  for (const text of ['2', '3', '4', '5']) {
    await run(world, { chat_id: chatId, input: { text } })
    await answer(world, chatId, says(text))
  }
  const latest = await findLatestRun(world.open.platform.db, chatId)
  expect(latest?.place).toBe(4)
})

describe('a turn', () => {
  it('replies with both messages while the chat is busy; the chat is idle after the model’s answer', async () => {
    const chatId = await chatWith(world, {
      system_prompt: 'You are {{context.role}}',
      context: [{ name: 'role', default: 'kind' }],
    })
    const before = await getChat(world, chatId)
    expect(before).toMatchObject({ status: 'busy', active_run: { state: 'working' }, name: 'hi' })
    const usage = { prompt_tokens: 5, completion_tokens: 2, cached_tokens: 4, model: 'tiny' }
    const asked = await answer(world, chatId, { ...says('hello'), reasoning: 'hm', usage })
    expect(asked).toMatchObject({ system_prompt: 'You are kind', text: 'hi', role: 'user', context: [] })
    const after = await getChat(world, chatId)
    expect(after.status).toBe('idle')
    expect(after.active_run).toBeUndefined()
    const messages = await messagesOf(world, chatId)
    expect(messages.map(({ role, status }) => [role, status])).toEqual([
      ['user', 'ready'],
      ['assistant', 'ready'],
    ])
    expect(messages[1]?.content).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'hello' },
    ])
    expect(messages[0]).not.toHaveProperty('usage')
    const counted = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7, cached_tokens: 4 }
    expect(messages[1]?.usage).toEqual(counted)
  })

  it('sends the model the whole conversation with the results of its calls', async () => {
    const chatId = await chatWith(world, { tools: [client('look')] })
    await answer(world, chatId, says('', { name: 'look', arguments: { x: 1 } }))
    const [call] = await callsOf(world, chatId)
    expect(call).toMatchObject({
      type: 'client',
      status: 'awaiting_input',
      function: { name: 'look', arguments: { x: 1 } },
    })
    expect(await getChat(world, chatId)).toMatchObject({
      status: 'awaiting_input',
      active_run: { state: 'input_required', interrupt_reason: 'client_tool' },
    })
    await post(`POST /tools/${call?.id}`, { result: 'seen' })
    const asked = await answer(world, chatId, says('done'))
    expect(asked).toMatchObject({ role: 'tool', text: 'seen', tool_call_id: 'call_0' })
    expect(asked.context.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect((await getChat(world, chatId)).status).toBe('idle')
    expect((await callsOf(world, chatId))[0]).toMatchObject({ status: 'completed', result: 'seen' })
  })

  it.each([
    ['an unknown tool', { name: 'nope' }, 'Tool nope not found'],
    ['arguments that do not match', { name: 'look', arguments: { x: 'a' } }, 'arguments.x must be integer'],
    ['missing arguments', { name: 'look' }, 'arguments.x is required'],
  ])('%s is reported to the model, and the run continues', async (_claim, asked, says_) => {
    const chatId = await chatWith(world, { tools: [client('look')] })
    await answer(world, chatId, says('', asked))
    const input = (await modelTask(world, chatId)).input
    expect(input.text).toContain(says_)
    expect((await callsOf(world, chatId))[0]).toMatchObject({ status: 'failed' })
  })

  it('a failed model task fails the run; a task lost with its worker is retried twice', async () => {
    const failed = await chatWith(world)
    await failModel(world, failed, 'no such model')
    const messages = await messagesOf(world, failed)
    expect(messages[1]).toMatchObject({ status: 'failed', content: [{ error: 'no such model' }] })
    expect(await getChat(world, failed)).toMatchObject({ status: 'idle', last_error: 'no such model' })
    const filters = [{ field: 'last_error', operator: 'neq', value: '' }]
    const { data } = await world.call('owner', 'POST /chats/list', { body: { filters } })
    expect(data.items).toMatchObject([{ id: failed, last_error: 'no such model' }])
    await post(`POST /chats/${failed}/messages`, { message: 'again' })
    expect(await getChat(world, failed)).not.toHaveProperty('last_error')
    await answer(world, failed, says('ok'))
    expect(await getChat(world, failed)).not.toHaveProperty('last_error')
    const lost = await chatWith(world)
    for (let time = 0; time < 3; time += 1) await failModel(world, lost, 'worker_lost: the engine is gone')
    expect((await messagesOf(world, lost))[1]).toMatchObject({ status: 'failed' })
  })

  it('queued messages are consumed together at the next turn', async () => {
    const chatId = await chatWith(world, { tools: [client('look')] })
    const queued = await run(world, { chat_id: chatId, input: { text: 'wait' } })
    expect(queued.user_message.status).toBe('queued')
    expect(queued.assistant_message).toBeUndefined()
    await post(`POST /chats/${chatId}/messages`, { message: 'and this' })
    await answer(world, chatId, says('', { name: 'nope' }))
    const { input } = await modelTask(world, chatId)
    expect(input.context.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(input.text).toBe('and this')
    await answer(world, chatId, says('ok'))
    expect((await messagesOf(world, chatId)).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'user',
      'assistant',
    ])
  })

  it('queued messages that arrive too late start one new run, also after a stop', async () => {
    const chatId = await chatWith(world)
    await post(`POST /chats/${chatId}/messages`, { message: 'two' })
    await post(`POST /chats/${chatId}/messages`, { message: 'three' })
    await answer(world, chatId, says('one'))
    expect((await getChat(world, chatId)).status).toBe('busy')
    expect((await modelTask(world, chatId)).input.text).toBe('three')
    await post(`POST /chats/${chatId}/messages`, { message: 'four' })
    await post(`POST /chats/${chatId}/messages`, { message: 'five' })
    const stopped = await post(`POST /chats/${chatId}/stop`)
    expect(stopped).toMatchObject({ status: 'busy' })
    const { input } = await modelTask(world, chatId)
    expect([input.context.at(-1)?.text, input.text]).toEqual(['four', 'five'])
    const { active_run: active } = await getChat(world, chatId)
    const ofRun = (await messagesOf(world, chatId)).filter(({ agent_run_id }) => agent_run_id === active?.id)
    expect(ofRun.map(({ content, status }) => [content[0]?.text, status])).toEqual([
      ['four', 'ready'],
      ['five', 'ready'],
      [undefined, 'pending'],
    ])
  })

  it('a stopped turn keeps the text received so far and nothing that the model says later', async () => {
    const chatId = await chatWith(world)
    const { id } = await modelTask(world, chatId)
    const ctx = world.ctx()
    const say = (response: string, seq: number) => publishDelta(ctx, id, seq, { value: { response }, sizeBytes: 10 })
    say('The first half', 1)
    say(' of a', 2)
    await post(`POST /chats/${chatId}/stop`)
    say(' sentence', 3)
    await move(ctx, id, { fence: { attempt: 7 }, to: taskStatus.failed, error: 'A late frame of another attempt' })
    await move(ctx, id, { fence: null, to: taskStatus.cancelled })
    const message = (await messagesOf(world, chatId)).at(-1)
    expect(message).toMatchObject({ status: 'cancelled', content: [{ type: 'text', text: 'The first half of a' }] })
    expect(await getChat(world, chatId)).toMatchObject({ status: 'idle' })
  })

  it('ends with finish, whose result is the chat’s output if it matches the schema', async () => {
    const output_schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
    const chatId = await chatWith(world, { output_schema })
    const asked = await answer(
      world,
      chatId,
      says('', { name: 'finish', arguments: { status: 'succeeded', result: { n: 'x' } } }),
    )
    expect(asked.tools?.map((tool) => tool.function.name)).toContain('finish')
    expect((await callsOf(world, chatId))[0]).toMatchObject({ status: 'failed' })
    await answer(world, chatId, says('', { name: 'finish', arguments: { status: 'succeeded', result: { n: 4 } } }))
    expect(await getChat(world, chatId)).toMatchObject({ status: 'completed', output: { n: 4 } })
  })

  it('plans and memory are stored in the chat', async () => {
    const chatId = await chatWith(world)
    await answer(
      world,
      chatId,
      says(
        '',
        { name: 'plan_create', arguments: { steps: [{ title: 'a' }, { title: 'b' }] } },
        { name: 'memory_set', arguments: { key: 'k', value: 1 }, id: 'm' },
      ),
    )
    await answer(
      world,
      chatId,
      says(
        '',
        { name: 'plan_update', arguments: { index: 1, status: 'completed' } },
        { name: 'memory_get', arguments: { key: 'k' }, id: 'g' },
      ),
    )
    expect((await modelTask(world, chatId)).input.text).toBe('1')
    expect((await getChat(world, chatId)).agent_data).toMatchObject({
      memory: { k: 1 },
      plan_steps: [{ status: 'pending' }, { status: 'completed' }],
    })
  })

  it('an endless run is ended after fifty turns', async () => {
    const chatId = await chatWith(world)
    for (let turn = 0; turn < 50; turn += 1) await answer(world, chatId, says('', { name: 'plan_load' }))
    const messages = await world.call('owner', `GET /chats/${chatId}/messages`, { query: { limit: '-1' } })
    const { data } = await world.call('owner', `GET /agent-runs/${messages.data.items[0].agent_run_id}`)
    expect(data).toMatchObject({ state: 'failed', turn_count: 50 })
    expect(data.error).toContain('turn_limit')
  })
})
