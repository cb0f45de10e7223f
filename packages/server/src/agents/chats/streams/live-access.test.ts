// Guarantees: a reader of a stream sees exactly what a single read would return at that moment. Agents that it may not
// read are left out, and losing access ends the stream, on every server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { taskSubject } from '#execution/tasks/service.ts'
import { createFleetWorld } from '#platform/fleet/testing/fleet-world.ts'
import { type ReadStream, readStream } from '../../../testing/read-stream.ts'
import { openReplica, type Replica } from '../../../testing/replica.ts'
import { until } from '../../../testing/until.ts'
import type { As, World } from '../../../testing/world.ts'
import { givenAgent, modelApp, showAgent } from '../../agents/testing/given.ts'
import { answer, callsOf, chatWith, client, getChat, messagesOf, modelTask, run, says } from '../testing/given.ts'

let world: World
let other: Replica
beforeAll(async () => {
  world = await createFleetWorld()
  other = await openReplica(world)
})
afterAll(async () => {
  await other?.close()
  await world?.close()
})

const prompt = 'never tell the recipe'

const change = async (chatId: string, body: object): Promise<void> => {
  const { status, text } = await world.call('owner', `POST /chats/${chatId}`, { body })
  expect(status, text).toBe(200)
}

const publicChat = async (config: object = {}): Promise<string> => {
  const chatId = await chatWith(world, config)
  await change(chatId, { visibility: 'public' })
  return chatId
}

const chatWithAgent = async () => {
  const core_app = { id: (await modelApp(world)).id }
  const agent = await givenAgent(world, 'owner', { core_app, system_prompt: prompt })
  const chatId = (await run(world, { agent_id: agent.id })).assistant_message.chat_id
  await change(chatId, { visibility: 'public' })
  return { chatId, agent }
}

const open = async (path: string, as: As = null, origin?: string): Promise<ReadStream> => {
  const stream = await readStream(`${origin ?? (await world.listen())}${path}`, {
    ...(as !== null && { authorization: `Bearer ${await world.token(as)}` }),
    ...(as !== null && as !== 'stranger' && { 'x-team-id': world.team.id }),
  })
  expect(stream.status).toBe(200)
  return stream
}

/** The next event of this name that satisfies the predicate. */
const next = async (stream: ReadStream, name: string, isMeant: (data: Record<string, unknown>) => boolean) => {
  for (let event = await stream.next(); event; event = await stream.next())
    if (event.event === name && isMeant(event.data)) return event.data
  throw new Error(`the stream ended without ${name}`)
}

const isNamed = (name: string) => (data: Record<string, unknown>) => data.name === name

describe('the agent of a chat', () => {
  it('is shown in streams to the same readers as in single reads', async () => {
    const { chatId, agent } = await chatWithAgent()
    const reader = async (as: As) => ({ as, stream: await open(`/chats/${chatId}/stream`, as) })
    const all: As[] = [null, 'stranger', 'owner', 'admin', 'key:conversations:read']
    const readers = await Promise.all(all.map(reader))
    for (const { stream } of readers) await stream.next()
    await change(chatId, { name: 'renamed' })
    for (const { as, stream } of readers) {
      const live = await next(stream, 'chats', isNamed('renamed'))
      expect(live).toEqual(await getChat(world, chatId, as))
      expect(JSON.stringify(live).includes(prompt)).toBe(as === 'owner')
    }
    await showAgent(world, 'owner', agent, 'public')
    await change(chatId, { name: 'shown' })
    for (const { stream } of readers) {
      expect(await next(stream, 'chats', isNamed('shown'))).toMatchObject({ agent: { id: agent.id } })
      stream.close()
    }
  })
})

describe('the context values of a public chat', () => {
  it('are shown to its workspace only, in single reads, lists and streams', async () => {
    const core_app = { id: (await modelApp(world)).id }
    const context = { who: 'Ada' }
    const said = await run(world, { agent_config: { core_app }, context })
    const chatId = said.assistant_message.chat_id
    await change(chatId, { visibility: 'public' })
    for (const [as, shown] of [
      [null, {}],
      ['stranger', {}],
      ['owner', context],
      ['key:conversations:read', context],
    ] as [As, object][]) {
      expect((await getChat(world, chatId, as)).context).toEqual(shown)
      const { data } = await world.call(as, 'POST /chats/list', { body: { permissions: ['public'] } })
      for (const chat of data.items) if (chat.id === chatId) expect(chat.context).toEqual(shown)
      const stream = await open(`/chats/${chatId}/stream`, as)
      expect(await next(stream, 'chats', () => true)).toMatchObject({ id: chatId, context: shown })
      await change(chatId, { name: `for ${as}` })
      expect((await next(stream, 'chats', isNamed(`for ${as}`))).context).toEqual(shown)
      stream.close()
    }
  })
})

type Taken = [claim: string, take: (chatId: string) => Promise<unknown>]

const taken: Taken[] = [
  ['made private', (chatId) => change(chatId, { visibility: 'private' })],
  ['deleted', (chatId) => world.call('owner', `DELETE /chats/${chatId}`)],
]

describe.each(taken)('a chat that is %s', (_claim, take) => {
  it('ends its stream before any further event, on this and another server', async () => {
    const chatId = await publicChat()
    const path = `/chats/${chatId}/stream`
    const streams = [await open(path), await open(path, null, await other.listen())]
    for (const stream of streams) await next(stream, 'chat_messages', ({ status }) => status === 'pending')
    await take(chatId)
    await answer(world, chatId, says('the recipe')).catch(() => undefined)
    for (const stream of streams) {
      const rest = await stream.rest()
      expect(rest.filter(({ event, data }) => event === 'chats' && data.visibility !== 'public')).toEqual([])
      expect(JSON.stringify(rest)).not.toContain('the recipe')
    }
    expect((await world.call(null, `GET /chats/${chatId}`)).status).toBe(404)
  })
})

describe('a chat that is made private', () => {
  const look = client('look')

  it.each([
    ['message', async (chatId: string) => `/chats/messages/${(await messagesOf(world, chatId))[1]?.id}/stream`],
    ['run', async (chatId: string) => `/agent-runs/${(await getChat(world, chatId)).active_run?.id}/stream`],
  ])('ends the stream of its %s without an end event', async (_claim, pathOf) => {
    const chatId = await publicChat({ tools: [look] })
    const path = await pathOf(chatId)
    const streams = [await open(path), await open(path, null, await other.listen())]
    for (const stream of streams) expect(await stream.next()).toMatchObject({ event: 'update' })
    await change(chatId, { visibility: 'private' })
    await answer(world, chatId, says('the recipe', { name: 'look', arguments: { x: 1 } }))
    for (const stream of streams) {
      const rest = await stream.rest().catch(() => [])
      expect(rest.map(({ event }) => event)).toEqual(['error'])
      expect(rest[0]?.data).toMatchObject({ status: 404 })
    }
  })

  it('remains open for readers with access', async () => {
    const chatId = await publicChat()
    const stream = await open(`/chats/${chatId}/stream`, 'owner')
    await next(stream, 'chat_messages', ({ status }) => status === 'pending')
    await change(chatId, { visibility: 'private' })
    expect(await next(stream, 'chats', ({ visibility }) => visibility === 'private')).toMatchObject({ id: chatId })
    await answer(world, chatId, says('the recipe'))
    const said = await next(stream, 'chat_messages', ({ status }) => status === 'ready')
    expect(JSON.stringify(said)).toContain('the recipe')
    stream.close()
  })

  it('is audited when an administrator continues to read it', async () => {
    const chatId = await chatWith(world, {}, 'member')
    await world.call('member', `POST /chats/${chatId}`, { body: { visibility: 'team' } })
    const stream = await open(`/chats/${chatId}/stream`, 'admin')
    await stream.next()
    await world.call('member', `POST /chats/${chatId}`, { body: { visibility: 'private' } })
    for (const name of ['one', 'two']) {
      await world.call('member', `POST /chats/${chatId}`, { body: { name } })
      await next(stream, 'chats', isNamed(name))
    }
    stream.close()
    const { data } = await world.call('owner', 'GET /audit-log')
    const bypasses = data.items.filter(
      (row: { action: string; resource_id: string }) =>
        row.action === 'team_admin.permission_bypass' && row.resource_id === chatId,
    )
    expect(bypasses).toHaveLength(1)
  })
})

describe('what belongs to a chat', () => {
  const listed = async (as: As, route: string, field: string, value: string): Promise<string[]> => {
    const body = { filters: [{ field, value }], include_others: true }
    const { data } = await world.call(as, `POST ${route}`, { body })
    return data.items.map(({ id }: { id: string }) => id)
  }

  /** A chat whose agent called another one, which called a third; all of them public. */
  const family = async () => {
    const core_app = { id: (await modelApp(world)).id }
    const agentTool = async (config: object) => {
      const { id } = await givenAgent(world, 'owner', { core_app, ...config })
      return { tools: [{ name: 'helper', type: 'agent', agent: { id } }] }
    }
    const top = await publicChat(await agentTool(await agentTool({})))
    const ask = says('', { name: 'helper', arguments: { message: 'add' } })
    const below: string[] = []
    for (let chatId = top; below.length < 2; ) {
      await answer(world, chatId, ask)
      const [child = ''] = await listed('owner', '/chats/list', 'parent_id', chatId)
      below.push(child)
      chatId = child
    }
    return { top, child: below[0] ?? '', grandchild: below[1] ?? '' }
  }

  it('is narrowed with it: its tasks and the chats below it, at every depth', async () => {
    const { top, child, grandchild } = await family()
    const chats = [top, child, grandchild]
    for (const chatId of [child, grandchild]) {
      expect((await world.call(null, `GET /chats/${chatId}/messages`)).status).toBe(200)
      expect(await listed(null, '/tasks/list', 'chat_id', chatId)).toEqual([])
      expect(await listed('member', '/tasks/list', 'chat_id', chatId)).not.toEqual([])
    }
    const streams = await Promise.all([child, grandchild].map((chatId) => open(`/chats/${chatId}/stream`)))
    const { id: live } = await modelTask(world, grandchild)
    const task = await open(`/tasks/${live}/stream`, 'member')
    await until(() => world.open.platform.bus.hasListener(taskSubject(live)))
    await change(top, { visibility: 'private' })
    for (const chatId of chats) {
      expect((await world.call(null, `GET /chats/${chatId}/messages`)).status).toBe(404)
      expect(await listed(null, '/tasks/list', 'chat_id', chatId)).toEqual([])
      expect(await listed(null, '/chats/list', 'parent_id', chatId)).toEqual([])
      expect(await listed('member', '/tasks/list', 'chat_id', chatId)).toEqual([])
    }
    expect(await listed('owner', '/tasks/list', 'chat_id', grandchild)).toContain(live)
    await answer(world, grandchild, says('the recipe'))
    expect((await callsOf(world, child))[0]?.status).toBe('completed')
    for (const stream of [...streams, task]) expect(JSON.stringify(await stream.rest())).not.toContain('the recipe')
  })

  it('does not change when the visibility of the chat is widened', async () => {
    const { top, child } = await family()
    await change(top, { visibility: 'team' })
    expect((await getChat(world, child, 'member')).visibility).toBe('team')
    await world.call('owner', `POST /chats/${child}`, { body: { visibility: 'private' } })
    await change(top, { visibility: 'public' })
    expect((await world.call('member', `GET /chats/${child}`)).status).toBe(404)
    expect(await listed(null, '/tasks/list', 'chat_id', top)).toEqual([])
  })

  it('is hidden from other workspaces once the chat is deleted', async () => {
    const { top, child } = await family()
    expect((await world.call('owner', `DELETE /chats/${top}`)).status).toBe(200)
    expect((await world.call(null, `GET /chats/${child}/messages`)).status).toBe(404)
    expect((await getChat(world, child, 'member')).visibility).toBe('team')
  })

  it('can still end while it is being narrowed', async () => {
    const { top, child, grandchild } = await family()
    await Promise.all([change(top, { visibility: 'private' }), answer(world, grandchild, says('done'))])
    expect((await callsOf(world, child))[0]).toMatchObject({ status: 'completed', visibility: 'private' })
    expect((await getChat(world, top)).visibility).toBe('private')
  })
})
