// Guarantees: a stream of a run reports every event inside it in the documented form; compaction is announced before
// and after.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publishDelta, taskSubject } from '#execution/tasks/service.ts'
import { until } from '../../../testing/until.ts'
import { createWorld, type World } from '../../../testing/world.ts'
import { modelApp } from '../../agents/testing/given.ts'
import { statesTo } from '../loop/run-moves.ts'
import { answer, callsOf, chatWith, client, getChat, messagesOf, modelTask, run, says } from '../testing/given.ts'

let world: World
let listener: Server
let origin = ''
const heard: { event: string; data: Record<string, number> }[] = []

beforeAll(async () => {
  world = await createWorld({ runJobs: true, settings: { CHAT_MIN_BUSY_MS: '0', ALLOW_PRIVATE_HOSTS: '*' } })
  listener = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    heard.push(JSON.parse(body))
    response.end()
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
})
afterAll(async () => {
  listener?.close()
  await world?.close()
})

type Told = { type: string; run_id: string; chat_id: string; timestamp: string; payload: Record<string, unknown> }

describe('the stream of a run', () => {
  it('reports every step with the documented fields', async () => {
    const chatId = await chatWith(world, { tools: [client('look', { require_approval: true, display_name: 'Look' })] })
    const runId = (await getChat(world, chatId)).active_run?.id ?? ''
    const { id: taskId } = await modelTask(world, chatId)
    const followed = world.call('owner', `GET /agent-runs/${runId}/stream`, {
      headers: { accept: 'application/x-ndjson' },
    })
    // The reader follows the current turn, not only the next one.
    await until(() => world.open.platform.bus.hasListener(taskSubject(taskId)))
    publishDelta(world.ctx(), taskId, 1, { value: { reasoning: 'hm', response: 'let me ' }, sizeBytes: 40 })
    const usage = { prompt_tokens: 3, completion_tokens: 4, stop_reason: 'tool_calls' }
    await answer(world, chatId, { ...says('', { name: 'look', arguments: { x: 1 } }), usage })
    const [call] = await callsOf(world, chatId)
    await world.call('owner', `POST /tools/${call?.id}/invoke`)
    await world.call('owner', `POST /tools/${call?.id}`, { body: { result: 'seen' } })
    await answer(world, chatId, says('done'))
    const lines = (await followed).text.split('\n').filter((line) => line !== '')
    const told = lines
      .map((line) => JSON.parse(line) as { event?: string; data: Told })
      .filter(({ event }) => event === 'agent_event')
      .map(({ data }) => data)
    for (const event of told) expect(event).toMatchObject({ run_id: runId, chat_id: chatId })
    const payloads = (type: string) => told.filter((event) => event.type === type).map(({ payload }) => payload)
    const ofCall = { tool_invocation_id: call?.id, tool_name: 'look' }
    expect(payloads('content.delta')).toEqual([
      { kind: 'reasoning', delta: 'hm' },
      { kind: 'text', delta: 'let me ' },
    ])
    expect(payloads('turn.completed')).toEqual([
      { turn_index: 1, tool_count: 1, has_output: false, stop_reason: 'tool_calls' },
      { turn_index: 2, tool_count: 0, has_output: true },
    ])
    expect(payloads('usage.updated')).toEqual([{ prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }])
    expect(payloads('approval.required')).toMatchObject([
      { ...ofCall, reason: 'tool_approval', arguments: { x: 1 } },
      { ...ofCall, reason: 'client_tool' },
    ])
    expect(payloads('approval.resolved')).toMatchObject([
      { ...ofCall, decision: 'allow' },
      { ...ofCall, decision: 'allow' },
    ])
    expect(payloads('tool.started')).toEqual([
      { ...ofCall, tool_type: 'client', display_name: 'Look', arguments: { x: 1 } },
    ])
    expect(payloads('tool.completed')).toMatchObject([{ ...ofCall, status: 'completed', result: 'seen' }])
    const moves = payloads('run.state_changed').map(({ from_state, to_state }) => `${from_state} ${to_state}`)
    expect(moves.slice(0, 2)).toEqual(['working input_required', 'input_required working'])
    expect(moves.at(-1)).toBe('working completed')
    expect(lines.at(-1)).toContain('"state":"completed"')
  })
})

it('a run passes through the documented states, even if one step takes it further', async () => {
  const finish = { name: 'finish', type: 'internal', internal: { category: 'finish', operation: 'finish' } }
  const chatId = await chatWith(world, { tools: [{ ...finish, require_approval: true }] })
  const runId = (await getChat(world, chatId)).active_run?.id ?? ''
  const { id: taskId } = await modelTask(world, chatId)
  const followed = world.call('owner', `GET /agent-runs/${runId}/stream`, {
    headers: { accept: 'application/x-ndjson' },
  })
  await until(() => world.open.platform.bus.hasListener(taskSubject(taskId)))
  await answer(world, chatId, says('', { name: 'finish', arguments: { status: 'succeeded', result: 1 } }))
  await world.call('owner', `POST /tools/${(await callsOf(world, chatId))[0]?.id}/invoke`)
  const lines = (await followed).text.split('\n').filter((line) => line !== '')
  const states = lines.flatMap((line) => (JSON.parse(line) as { state?: string }).state ?? [])
  expect(states.filter((state, index) => state !== states[index - 1])).toEqual([
    'working',
    'input_required',
    'working',
    'completed',
  ])
})

it('a gate before the first turn finds a working run', async () => {
  const hooks = [{ event: 'agent.start', type: 'gate', timeout: 60 }]
  const { active_run: active } = await getChat(world, await chatWith(world, { hooks }))
  expect(active?.state).toBe('input_required')
  expect(statesTo('submitted', 'input_required')).toEqual(['working', 'input_required'])
})

describe('a long conversation', () => {
  it('is compacted once, and its hooks receive the sizes', async () => {
    const hooks = ['agent.pre_compact', 'agent.post_compact'].map((event) => ({
      event,
      type: 'webhook',
      handler: origin,
    }))
    const core_app = { id: (await modelApp(world)).id, input: { context_size: 100 } }
    const own = (await run(world, { agent_config: { core_app, hooks } })).assistant_message.chat_id
    await answer(world, own, says('word '.repeat(200)))
    await world.call('owner', `POST /chats/${own}/messages`, { body: { message: 'go on' } })
    const summary = await modelTask(world, own)
    expect(summary.input.text).toContain('Summarize')
    await answer(world, own, says('short'))
    expect((await modelTask(world, own)).input.context[0]?.text).toContain('short')
    await answer(world, own, says('yes'))
    await until(() => heard.length >= 2)
    const byEvent = new Map(heard.map(({ event, data }) => [event, data]))
    const [before, after] = [byEvent.get('agent.pre_compact'), byEvent.get('agent.post_compact')]
    expect(before?.before_tokens).toBeGreaterThan(80)
    expect(after?.before_tokens).toBe(before?.before_tokens)
    expect(after?.after_tokens).toBeLessThan(Number(before?.before_tokens))
    expect((await messagesOf(world, own)).map(({ role }) => role)).toContain('compaction')
  })
})
