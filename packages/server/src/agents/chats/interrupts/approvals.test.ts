// Guarantees: calls that need approval wait for people; gates are answered by people or by their timeout; hooks decide;
// triggers start agents and answer.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { taskStatus } from '@millrace/contract/task-status'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApp } from '#automation/flow-runs/testing/given.ts'
import { dispatchWaiting } from '#automation/triggers/dispatch.ts'
import { fireDue } from '#automation/triggers/scheduler.ts'
import { until } from '../../../testing/until.ts'
import { createWorld, type World } from '../../../testing/world.ts'
import { givenAgent, modelApp } from '../../agents/testing/given.ts'
import { leaseMs } from '../hooks/errands.ts'
import { sweep } from '../runs/lifecycle.ts'
import { answer, callsOf, chatWith, client, endTask, getChat, modelTask, run, says } from '../testing/given.ts'
import { hookTimeoutMs } from '../tools/call-handler.ts'

let world: World
let target: Server
let origin = ''
let reply: object = {}
const events: { event: string; data: Record<string, unknown> }[] = []

beforeAll(async () => {
  world = await createWorld({ runJobs: true, settings: { CHAT_MIN_BUSY_MS: '0', ALLOW_PRIVATE_HOSTS: '*' } })
  target = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    events.push(JSON.parse(body))
    response.end(JSON.stringify(reply))
  })
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(target.address() as AddressInfo).port}`
})
afterAll(async () => {
  target?.close()
  await world?.close()
})

const told = (chatId: string) => until(async () => (await modelTask(world, chatId).catch(() => undefined))?.input)
const asked = { tools: [client('look', { require_approval: true })] }
const look = says('', { name: 'look', arguments: { x: 1 } })
const waiting = async (): Promise<{ chatId: string; call: string; interrupt: string }> => {
  const chatId = await chatWith(world, asked)
  await answer(world, chatId, look)
  const [question] = (await getChat(world, chatId)).pending_interrupts
  return { chatId, call: question?.resource_id ?? '', interrupt: question?.id ?? '' }
}

describe('approvals', () => {
  it('a denied call is reported to the model; an allowed call needs no approval', async () => {
    const chatId = await chatWith(world, asked)
    const { data } = await world.call('owner', `POST /chats/${chatId}/rules`, {
      body: { effect: 'deny', selector: 'look' },
    })
    await answer(world, chatId, look)
    expect((await modelTask(world, chatId)).input.text).toContain('denies')
    await world.call('owner', `DELETE /chats/${chatId}/rules/${data.id}`)
    await world.call('owner', `POST /chats/${chatId}/rules`, { body: { effect: 'allow', selector: 'look' } })
    await answer(world, chatId, look)
    expect((await callsOf(world, chatId)).at(-1)?.status).toBe('awaiting_input')
  })

  it('an app without its connection waits for it, and continues as soon as it exists', async () => {
    const version = {
      repository: 'https://bundles.example.com/x.zip',
      required_integrations: [{ key: 'groq', provider: 'groq' }],
    }
    const made = await world.call('owner', 'POST /apps', { body: { name: `needs-${Date.now()}`, version } })
    const chatId = await chatWith(world, { tools: [{ name: 'send', type: 'app', app: { id: made.data.id } }] })
    await answer(world, chatId, says('', { name: 'send' }))
    expect(await getChat(world, chatId)).toMatchObject({
      active_run: { state: 'auth_required' },
      pending_interrupts: [{ reason: 'auth', meta: { provider: 'groq' } }],
    })
    const connected = await world.call('owner', 'POST /credentials', {
      body: { provider: 'groq', type: 'api_key', api_key: 'gsk_123456789' },
    })
    expect(connected.status, connected.text).toBe(200)
    const [call] = await callsOf(world, chatId)
    expect(call).toMatchObject({ status: 'in_progress' })
    await endTask(world, call?.execution_id ?? '', { output: 'sent' })
    expect((await modelTask(world, chatId)).input.text).toBe('sent')
  })

  it('it continues however many others wait for another connection', async () => {
    const required_integrations = [{ key: 'mistral', provider: 'mistral' }]
    const version = { repository: 'https://bundles.example.com/x.zip', required_integrations }
    const made = await world.call('owner', 'POST /apps', { body: { name: `needs-${Date.now()}`, version } })
    const asking = async () => {
      const chatId = await chatWith(world, { tools: [{ name: 'send', type: 'app', app: { id: made.data.id } }] })
      await answer(world, chatId, says('', { name: 'send' }))
      const [interrupt] = (await getChat(world, chatId)).pending_interrupts
      return { chatId, interruptId: interrupt?.id ?? '' }
    }
    const { chatId: other, interruptId } = await asking()
    await sql`insert into interrupts select (jsonb_populate_record(i,
        jsonb_build_object('id', lpad(n::text, 26, '0'), 'meta', '{"provider": "another"}'::jsonb))).*
      from interrupts i, generate_series(1, 200) n where i.id = ${interruptId}`.execute(world.open.platform.db)
    const { chatId } = await asking()
    const body = { provider: 'mistral', type: 'api_key', api_key: 'key_123456789' }
    const connected = await world.call('owner', 'POST /credentials', { body })
    expect(connected.status, connected.text).toBe(200)
    expect((await callsOf(world, chatId))[0]?.status).toBe('in_progress')
    await world.call('owner', `POST /chats/${other}/stop`)
  })

  it('it continues however many others wait for the same connection', async () => {
    const required_integrations = [{ key: 'cohere', provider: 'cohere' }]
    const version = { repository: 'https://bundles.example.com/x.zip', required_integrations }
    const made = await world.call('owner', 'POST /apps', { body: { name: `needs-${Date.now()}`, version } })
    const tools = [{ name: 'send', type: 'app', app: { id: made.data.id } }]
    const [first, last] = [await chatWith(world, { tools }), await chatWith(world, { tools })]
    await answer(world, first, says('', { name: 'send' }))
    const [interrupt] = (await getChat(world, first)).pending_interrupts
    await world.call('owner', `POST /chats/${first}/stop`)
    await sql`insert into interrupts select (jsonb_populate_record(i,
        jsonb_build_object('id', lpad(n::text, 26, '0'), 'status', 'pending'))).*
      from interrupts i, generate_series(1001, 1450) n where i.id = ${interrupt?.id}`.execute(world.open.platform.db)
    await answer(world, last, says('', { name: 'send' }))
    const body = { provider: 'cohere', type: 'api_key', api_key: 'key_123456789' }
    const connected = await world.call('owner', 'POST /credentials', { body })
    expect(connected.status, connected.text).toBe(200)
    await until(async () => (await callsOf(world, last))[0]?.status === 'in_progress')
    await world.call('owner', `POST /chats/${last}/stop`)
  })
})

describe('hooks', () => {
  it('a webhook can deny a call, change its arguments, and inject a message for the model', async () => {
    const hooks = [{ event: 'agent.tool_call', type: 'webhook', handler: `${origin}/` }]
    const chatId = await chatWith(world, { tools: [client('look')], hooks })
    reply = { decision: 'deny', reason: 'not today', inject: { content: 'Be brief.', ttl_turns: 1 } }
    await answer(world, chatId, look)
    const { text, system_prompt } = await told(chatId)
    expect(text).toContain('not today')
    expect(system_prompt).toContain('Be brief.')
    expect(events.at(-1)).toMatchObject({ event: 'agent.tool_call', data: { tool: 'look', arguments: { x: 1 } } })
    reply = { override: { x: 7 } }
    await answer(world, chatId, look)
    await until(async () => (await callsOf(world, chatId)).at(-1)?.status === 'awaiting_input')
    expect((await callsOf(world, chatId)).at(-1)?.function.arguments).toEqual({ x: 7 })
  })

  it('a slow handler is not called twice', () => {
    expect(hookTimeoutMs({})).toBe(30_000)
    expect(hookTimeoutMs({ timeout: 86_400 })).toBeLessThan(leaseMs)
  })

  it('a handler’s injection has the role and the number of turns that it sets', async () => {
    const hooks = [{ event: 'agent.tool_call', type: 'webhook', handler: `${origin}/` }]
    const chatId = await chatWith(world, { tools: [client('look')], hooks })
    reply = { decision: 'deny', inject: { content: 'Ask me first.', role: 'user', ttl_turns: 1 } }
    await answer(world, chatId, look)
    const { text, role, context, system_prompt } = await told(chatId)
    expect({ text, role }).toEqual({ text: 'Ask me first.', role: 'user' })
    expect(context.at(-1)?.role).toBe('tool')
    expect(system_prompt).not.toContain('Ask me first.')
    reply = { decision: 'deny' }
    await answer(world, chatId, look)
    expect(JSON.stringify(await told(chatId))).not.toContain('Ask me first.')
  })

  describe('that wait for the result of a call', () => {
    const hooks = [{ event: 'agent.tool_result', type: 'gate', timeout: 60 }]
    const gates = async (chatId: string) =>
      (await getChat(world, chatId)).pending_interrupts.filter(({ reason }) => reason === 'hook_gate')

    it('a rejected call has no result: it is over and cannot be approved later', async () => {
      const chatId = await chatWith(world, { ...asked, hooks })
      await answer(world, chatId, look)
      const [question] = (await getChat(world, chatId)).pending_interrupts
      const refused = await world.call('owner', `POST /tools/${question?.resource_id}/reject`)
      expect(refused.data).toMatchObject({ status: 'cancelled' })
      expect(await world.call('owner', `POST /tools/${question?.resource_id}/invoke`)).toMatchObject({
        status: 409,
        code: 'tool_not_pending',
      })
      expect((await modelTask(world, chatId)).input.text).toContain('A person rejected this call')
    })

    it('an answer counts once and closes the question', async () => {
      const chatId = await chatWith(world, { tools: [client('look')], hooks })
      await answer(world, chatId, look)
      const route = `POST /tools/${(await callsOf(world, chatId))[0]?.id}`
      expect((await world.call('owner', route, { body: { result: 'first' } })).data.status).toBe('in_progress')
      expect(await world.call('owner', route, { body: { result: 'second' } })).toMatchObject({
        code: 'tool_not_pending',
      })
      const [gate, ...others] = await gates(chatId)
      expect(others).toEqual([])
      await world.call('owner', `POST /interrupts/${gate?.id}/resolve`, { body: { decision: 'allow' } })
      expect((await modelTask(world, chatId)).input.text).toBe('first')
    })

    it('the sweep does not call them again for a task that ended a while ago', async () => {
      const app = await openApp(world)
      const chatId = await chatWith(world, { tools: [{ name: 'draw', type: 'app', app: { id: app.id } }], hooks })
      await answer(world, chatId, says('', { name: 'draw' }))
      await endTask(world, (await callsOf(world, chatId))[0]?.execution_id ?? '', { output: 'drawn' })
      world.clock.advance(40_000)
      await sweep(world.open.platform)
      expect(await gates(chatId)).toHaveLength(1)
    })
  })

  it.each([
    ['deny', 'rejected'],
    ['stop', 'canceled'],
  ])('at the start, %s makes the run %s', async (decision, state) => {
    reply = { decision }
    const hooks = [{ event: 'agent.start', type: 'webhook', handler: `${origin}/` }]
    const app = await modelApp(world)
    const said = await run(world, { agent_config: { core_app: { id: app.id }, hooks } })
    const { agent_run_id: id } = said.assistant_message
    const ended = await until(async () => {
      const { data } = await world.call('owner', `GET /agent-runs/${id}`)
      return data.state === state && data
    })
    expect(ended.state).toBe(state)
  })

  it('a handler of the end event may finish; one whose answer is no longer needed is canceled', async () => {
    const handler = await openApp(world)
    const hooks = [
      { event: 'agent.complete', type: 'task', handler: handler.id },
      { event: 'agent.tool_call', type: 'task', handler: handler.id },
    ]
    const statuses = async (chatId: string) => {
      const { db } = world.open.platform
      const tasks = db
        .selectFrom('tasks')
        .select('status')
        .where('chat_id', '=', chatId)
        .where('app_id', '=', handler.id)
      return (await tasks.execute()).map(({ status }) => status)
    }
    const ended = await chatWith(world, { hooks })
    await answer(world, ended, says('done'))
    const stopped = await chatWith(world, { tools: [client('look')], hooks })
    await answer(world, stopped, look)
    await world.call('owner', `POST /chats/${stopped}/stop`)
    await until(async () => (await statuses(stopped)).every((status) => status === taskStatus.cancelled))
    expect(await statuses(ended)).toEqual([taskStatus.queued])
  })

  it('a gate waits for a person until its timeout answers', async () => {
    const hooks = [{ event: 'agent.turn_start', type: 'gate', timeout: 60, default_resolution: 'deny' }]
    const chatId = await chatWith(world, { hooks })
    const [gate] = (await getChat(world, chatId)).pending_interrupts
    expect(gate).toMatchObject({
      reason: 'hook_gate',
      resource_type: 'hook_event',
      meta: { event: 'agent.turn_start' },
    })
    const triggers = await world.call('owner', 'GET /triggers')
    expect(triggers.data.items[0]).toMatchObject({ name: `expire-interrupt:${gate?.id}`, action: 'resolve_interrupt' })
    world.clock.advance(61_000)
    await fireDue(world.ctx())
    await dispatchWaiting(world.ctx())
    const { data } = await until(async () => {
      const found = await world.call('owner', `GET /interrupts/${gate?.id}`)
      return found.data.status !== 'pending' && found
    })
    expect(data).toMatchObject({ status: 'expired', resolution: 'deny' })
    const opened = await chatWith(world, { hooks })
    const [second] = (await getChat(world, opened)).pending_interrupts
    await world.call('owner', `POST /interrupts/${second?.id}/resolve`, { body: { decision: 'allow' } })
    await modelTask(world, opened)
    const left = await world.call('owner', 'GET /triggers')
    expect(left.data.items.filter((item: { interrupt_id?: string }) => item.interrupt_id === second?.id)).toEqual([])
  })

  it('keys cannot change or end the timeout of a gate', async () => {
    const hooks = [{ event: 'agent.turn_start', type: 'gate', timeout: 60 }]
    const [gate] = (await getChat(world, await chatWith(world, { hooks }))).pending_interrupts
    const { data } = await world.call('owner', 'GET /triggers')
    const clock = data.items.find((item: { interrupt_id?: string }) => item.interrupt_id === gate?.id)
    const refused = { status: 403, code: 'requires_sign_in' }
    expect(await world.call('key:agents', `POST /triggers/${clock.id}/fire`)).toMatchObject(refused)
    const sooner = { scheduled_at: world.clock.now().toISOString() }
    expect(await world.call('key:agents', `POST /triggers/${clock.id}`, { body: sooner })).toMatchObject(refused)
    expect((await world.call('owner', `GET /interrupts/${gate?.id}`)).data.status).toBe('pending')
    expect((await world.call('owner', `POST /triggers/${clock.id}/fire`)).data).toMatchObject({ fired: true })
    expect((await world.call('owner', `GET /interrupts/${gate?.id}`)).data.status).toBe('expired')
  })
})

describe('an agent that handles an event', () => {
  const withHandler = async (event: string) => {
    const model = await modelApp(world)
    const guard = await givenAgent(world, 'owner', { core_app: { id: model.id } })
    const hooks = [{ event, type: 'task', handler: `${guard.namespace}/${guard.name}` }]
    const chatId = await chatWith(world, { hooks, tools: [client('look')] })
    return { chatId, guard }
  }
  const below = (chatId: string) =>
    until(async () => {
      const body = { filters: [{ field: 'parent_id', value: chatId }] }
      return (await world.call('owner', 'POST /chats/list', { body })).data.items[0]?.id as string | undefined
    })

  it('receives the event, and its answer decides', async () => {
    const { chatId } = await withHandler('agent.tool_call')
    await answer(world, chatId, says('', { name: 'look', arguments: { x: 1 } }))
    const asked = await below(chatId)
    const { text } = (await modelTask(world, asked)).input
    expect(JSON.parse(text)).toMatchObject({ event: 'agent.tool_call', data: { tool: 'look', arguments: { x: 1 } } })
    await answer(world, asked, says('I think not: {"decision": "deny", "reason": "too bright"}'))
    expect((await modelTask(world, chatId)).input.text).toContain('too bright')
  })

  it('counts as “allow” without a valid answer, and its own hooks do not fire', async () => {
    const { chatId, guard } = await withHandler('agent.start')
    const asked = await below(chatId)
    expect((await getChat(world, asked)).agent_data).toMatchObject({ disable_hooks: true })
    expect((await getChat(world, asked)).agent_id).toBe(guard.id)
    await answer(world, asked, says('hm'))
    await modelTask(world, chatId)
  })
})

describe('triggers', () => {
  it('start an agent in a new chat with the trigger’s name, as the trigger’s owner', async () => {
    const model = await modelApp(world)
    const agent = await givenAgent(world, 'owner', {
      core_app: { id: model.id },
      context: [{ name: 'who', required: true }],
    })
    const body = {
      name: 'Morning',
      type: 'manual',
      action: 'run_agent',
      agent_id: agent.id,
      input_mapping: { input: { text: 'Hello {{name}}' }, context: { who: '{{name}}' } },
    }
    const made = await world.call('owner', 'POST /triggers', { body })
    expect(made.status, made.text).toBe(200)
    const fired = await world.call('owner', `POST /triggers/${made.data.id}/fire`, { body: { name: 'Ada' } })
    expect(fired.data).toMatchObject({ fired: true, chat_id: expect.any(String) })
    expect(await getChat(world, fired.data.chat_id)).toMatchObject({ name: 'Morning', context: { who: 'Ada' } })
    expect((await modelTask(world, fired.data.chat_id)).input.text).toBe('Hello Ada')
    const images = { input: { text: 'Look', images: ['{{image}}'] }, context: { who: 'Ada' } }
    await world.call('owner', `POST /triggers/${made.data.id}`, { body: { input_mapping: images } })
    const shown = await world.call('owner', `POST /triggers/${made.data.id}/fire`, {
      body: { image: 'https://images.example/mill.png' },
    })
    expect(shown.status, shown.text).toBe(200)
    expect((await modelTask(world, shown.data.chat_id)).input).toMatchObject({
      text: 'Look',
      images: ['https://images.example/mill.png'],
    })
  })

  it('answer an interrupt once, and only people create them', async () => {
    const { interrupt, call, chatId } = await waiting()
    const body = { name: 'yes', type: 'manual', action: 'resolve_interrupt', interrupt_id: interrupt }
    expect(await world.call('key:agents:write', 'POST /triggers', { body })).toMatchObject({ code: 'requires_sign_in' })
    const made = await world.call('owner', 'POST /triggers', { body })
    expect((await world.call('owner', `POST /triggers/${made.data.id}/fire`)).data).toMatchObject({ fired: true })
    expect((await callsOf(world, chatId)).find(({ id }) => id === call)?.status).toBe('awaiting_input')
    expect(await world.call('owner', `POST /triggers/${made.data.id}/fire`)).toMatchObject({
      status: 500,
      code: 'fire_error',
    })
  })
})

describe('scopes', () => {
  it('never grow from starter to sub-agent to tool', async () => {
    const model = await modelApp(world)
    const app = await openApp(world)
    const tools = [{ name: 'draw', type: 'app', app: { id: app.id } }]
    const child = await givenAgent(world, 'owner', { core_app: { id: model.id }, tools })
    const parent = { core_app: { id: model.id }, tools: [{ name: 'helper', type: 'agent', agent: { id: child.id } }] }
    const narrow = 'key:agents:execute,agents:read,conversations:read' as const
    const chatId = (await run(world, { agent_config: parent }, narrow)).assistant_message.chat_id
    await answer(world, chatId, says('', { name: 'helper', arguments: { message: 'go' } }))
    const { data } = await world.call('owner', 'POST /chats/list', {
      body: { filters: [{ field: 'parent_id', value: chatId }] },
    })
    const own = data.items[0].id
    await answer(world, own, says('', { name: 'draw' }))
    expect((await modelTask(world, own)).input.text).toContain('apps:execute')
    const authority = await world.call('owner', `GET /agent-runs/${data.items[0].active_run_id}/authority`)
    expect(authority.data.chain.map((link: { kind: string }) => link.kind)).toEqual(['starter', 'run', 'tool', 'run'])
    for (const link of authority.data.chain)
      expect(link.scopes.sort()).toEqual(['agents:execute', 'agents:read', 'conversations:read'])
  })
})
