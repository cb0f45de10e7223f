// Guarantees: only permitted callers answer what a run waits for, their answer reaches the model, and no message acts
// with more scopes than its sender has.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApp } from '#automation/flow-runs/testing/given.ts'
import { createWorld, type World } from '../../../testing/world.ts'
import { givenAgent, modelApp } from '../../agents/testing/given.ts'
import { answer, callsOf, chatWith, client, getChat, modelTask, says } from '../testing/given.ts'

let world: World
beforeAll(async () => {
  world = await createWorld({ settings: { CHAT_MIN_BUSY_MS: '0' } })
})
afterAll(() => world?.close())

const call = async (chatId: string) => (await callsOf(world, chatId)).at(-1)
const everything = 'key:' as const

describe('POST /tools/{id}', () => {
  it('for a call that does not wait for approval answers 409 to every caller', async () => {
    const app = await openApp(world)
    const chatId = await chatWith(world, { tools: [{ name: 'draw', type: 'app', app: { id: app.id } }] })
    await answer(world, chatId, says('', { name: 'draw' }))
    const drawing = await call(chatId)
    for (const as of ['owner', everything] as const)
      expect(await world.call(as, `POST /tools/${drawing?.id}`, { body: { result: 'x' } })).toMatchObject({
        status: 409,
        code: 'tool_not_pending',
      })
  })

  it('accepts a text, or the answer itself', async () => {
    const chatId = await chatWith(world, { tools: [client('look')] })
    await answer(world, chatId, says('', { name: 'look', arguments: { x: 1 } }))
    const body = { action: 'ok', form_data: { n: 1 }, more: true }
    const answered = await world.call(everything, `POST /tools/${(await call(chatId))?.id}`, { body })
    expect(JSON.parse(answered.data.result)).toEqual(body)
  })

  it('only people answer a form', async () => {
    const chatId = await chatWith(world)
    const components = [{ id: 'root', component: 'Button' }]
    await answer(world, chatId, says('', { name: 'widget_ui', arguments: { components } }))
    const form = `POST /tools/${(await call(chatId))?.id}`
    expect(await world.call(everything, form, { body: { action: 'go' } })).toMatchObject({ code: 'requires_sign_in' })
    const answered = await world.call('owner', form, { body: { action: 'go', form_data: {} } })
    expect(JSON.parse(answered.data.result)).toEqual({ action: 'go', form_data: {} })
  })
})

describe('approvals', () => {
  const asked = async (config: object = {}) => {
    const chatId = await chatWith(world, { tools: [client('look', { require_approval: true })], ...config })
    await answer(world, chatId, says('', { name: 'look', arguments: { x: 1 } }))
    const [interrupt] = (await getChat(world, chatId)).pending_interrupts
    return { chatId, id: interrupt?.id ?? '', callId: interrupt?.resource_id ?? '' }
  }

  it.each(['allow', 'deny'])('retain the reason given with %s', async (decision) => {
    const { id } = await asked()
    const answered = await world.call('owner', `POST /interrupts/${id}/resolve`, {
      body: { decision, data: { why: 1 } },
    })
    expect(answered.data).toMatchObject({ status: 'resolved', resolution: decision, resolved_data: { why: 1 } })
  })

  it('cannot be permanent if the agent’s own version requires approval', async () => {
    const permissions = { rules: [{ effect: 'ask', kind: 'Tool', selector: 'look' }] }
    const { chatId, callId } = await asked({ permissions })
    const route = `/chats/${chatId}/tools/${callId}/always-allow`
    expect((await world.call('owner', `GET ${route}/options`)).data).toEqual({ options: [], default: '' })
    expect(await world.call('owner', `POST ${route}`, { body: {} })).toMatchObject({
      status: 400,
      code: 'not_always_allowable',
    })
  })

  it('can only be disabled by people, even if they are disabled already', async () => {
    const chatId = await chatWith(world)
    const route = `POST /chats/${chatId}/settings`
    expect((await world.call('owner', route, { body: { allow_all_tools: true } })).status).toBe(200)
    expect(await world.call(everything, route, { body: { allow_all_tools: true } })).toMatchObject({
      status: 403,
      code: 'requires_sign_in',
    })
    expect((await world.call(everything, route, { body: { name: 'mine' } })).data).toMatchObject({
      allow_all_tools: true,
    })
  })
})

describe('a deny rule of a chat', () => {
  it('also applies to its sub-agents', async () => {
    const model = await modelApp(world)
    const child = await givenAgent(world, 'owner', { core_app: { id: model.id }, tools: [client('look')] })
    const tools = [{ name: 'helper', type: 'agent', agent: { id: child.id } }]
    const chatId = await chatWith(world, { tools })
    await world.call('owner', `POST /chats/${chatId}/rules`, { body: { effect: 'deny', selector: 'look' } })
    await answer(world, chatId, says('', { name: 'helper', arguments: { message: 'look' } }))
    const filters = [{ field: 'parent_id', value: chatId }]
    const below = (await world.call('owner', 'POST /chats/list', { body: { filters } })).data.items[0].id
    await answer(world, below, says('', { name: 'look', arguments: { x: 1 } }))
    expect((await modelTask(world, below)).input.text).toContain('A rule denies this call')
  })
})

describe('queued messages', () => {
  it('run with the scopes of their senders, not with those of the last run', async () => {
    const chatId = await chatWith(world)
    await world.call('owner', `POST /chats/${chatId}`, { body: { visibility: 'team' } })
    const narrow = 'member-key:conversations:write,agents:execute' as const
    const said = await world.call(narrow, `POST /chats/${chatId}/messages`, { body: { message: 'me too' } })
    expect(said.data).toMatchObject({ status: 'queued' })
    await answer(world, chatId, says('first'))
    const active = (await getChat(world, chatId)).active_run
    expect(active?.user_id).toBe(said.data.user_id)
    const authority = await world.call('owner', `GET /agent-runs/${active?.id}/authority`)
    expect(authority.data.chain[1].scopes.sort()).toEqual(['agents:execute', 'conversations:write'])
  })
})

describe('finish', () => {
  it('with status failed needs no result, fails the run, and leaves the chat idle', async () => {
    const output_schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
    const chatId = await chatWith(world, { output_schema })
    const runId = (await getChat(world, chatId)).active_run?.id
    await answer(world, chatId, says('', { name: 'finish', arguments: { status: 'failed', error: 'no luck' } }))
    expect(await getChat(world, chatId)).toMatchObject({ status: 'idle', output: null })
    expect((await world.call('owner', `GET /agent-runs/${runId}`)).data).toMatchObject({ state: 'failed' })
    expect((await call(chatId))?.data).toMatchObject({ status: 'failed', error: 'no luck' })
  })

  it('with status succeeded needs a result', async () => {
    const chatId = await chatWith(world, { output_schema: { type: 'object', required: ['n'] } })
    await answer(world, chatId, says('', { name: 'finish', arguments: { status: 'succeeded' } }))
    expect((await call(chatId))?.status).toBe('failed')
    expect((await getChat(world, chatId)).status).toBe('busy')
  })
})

it('a chat needs a valid body', async () => {
  for (const body of [{ agent: 5 }, {}, { agent: 'x/y', context: 'no' }])
    expect(await world.call('owner', 'POST /chats', { body })).toMatchObject({ status: 400, code: 'invalid_request' })
})
