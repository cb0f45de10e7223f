// Guarantees: the trace and a fork of a chat with long messages leave the contents in the database, so that they neither
// fill the memory nor block the server; a fork is complete however many messages the chat has.

import type { Socket } from 'node:net'
import { newId } from '@millrace/contract/ids'
import { sql } from 'kysely'
import type pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { answer, callsOf, chatWith, client, messagesOf, says } from './testing/given.ts'

const messages = 2_100
const text = 'long '.repeat(4_000)

let world: World
let chat: string
let last: string
beforeAll(async () => {
  world = await createWorld()
  chat = await chatWith(world, { tools: [client('look')] })
  await answer(world, chat, says('looking', { name: 'look', arguments: { x: 1 } }))
  await world.call('owner', `POST /chats/${chat}/stop`)
  const ids = Array.from({ length: messages }, () => newId())
  last = ids.at(-1) ?? ''
  const { db } = world.open.platform
  const content = JSON.stringify([{ type: 'text', text }])
  await sql`
    insert into chat_messages (id, chat_id, team_id, user_id, "order", status, role, content, event_seq)
    select n.id, m.chat_id, m.team_id, m.user_id, m."order" + n.place, 'ready', 'user', ${content}::jsonb, m.event_seq
    from unnest(${ids}::text[]) with ordinality as n (id, place), (
      select * from chat_messages where chat_id = ${chat} order by "order" desc limit 1) m`.execute(db)
  await sql`update tool_invocations set result = ${text} where chat_id = ${chat}`.execute(db)
  await sql`update chats set next_order = next_order + ${messages} where id = ${chat}`.execute(db)
})
afterAll(() => world?.close())

/** The bytes that the database sends to the server during `work`. */
const bytesReadBy = async (work: () => Promise<unknown>): Promise<number> => {
  const before = new Map<Socket, number>()
  const onAcquire = (connection: pg.PoolClient): void => {
    const { stream } = (connection as unknown as { connection: { stream: Socket } }).connection
    if (!before.has(stream)) before.set(stream, stream.bytesRead)
  }
  const pools = Object.values(world.open.database.pools)
  for (const pool of pools) pool.on('acquire', onAcquire)
  await work()
  for (const pool of pools) pool.off('acquire', onAcquire)
  return [...before].reduce((sum, [stream, was]) => sum + stream.bytesRead - was, 0)
}

/** The contents are forty times as long. */
const maxBytes = 1_000_000

it('the trace reads the steps without their contents, at most the latest 2,000 messages', async () => {
  let found: { nodes: { id: string; resource_type: string }[] } = { nodes: [] }
  const bytes = await bytesReadBy(async () => {
    const trace = await world.call('owner', `GET /chats/${chat}/trace`)
    expect(trace.status, trace.text.slice(0, 500)).toBe(200)
    expect(trace.json.messages).toMatchObject([{ code: 'trace_truncated' }])
    found = trace.data
  })
  expect(bytes).toBeGreaterThan(2_000)
  expect(bytes).toBeLessThan(maxBytes)
  const shown = found.nodes.filter(({ resource_type }) => resource_type === 'chat_messages')
  expect(shown).toHaveLength(2_000)
  expect(shown.at(-1)?.id).toBe(last)
})

it('a fork copies all messages and tool calls inside the database', async () => {
  let forked = ''
  const bytes = await bytesReadBy(async () => {
    const made = await world.call('owner', `POST /chats/${chat}/fork`, { body: { message_id: last } })
    expect(made.status, made.text.slice(0, 500)).toBe(200)
    forked = made.data.id
  })
  expect(bytes).toBeLessThan(maxBytes)
  const contentsOf = async (id: string) =>
    (
      await world.open.platform.db
        .selectFrom('chat_messages')
        .select(['order', 'role', 'status', sql<string>`md5(content::text)`.as('content')])
        .where('chat_id', '=', id)
        .orderBy('order')
        .execute()
    ).map(({ order, ...message }) => ({ ...message, place: order }))
  expect(await contentsOf(forked)).toEqual(await contentsOf(chat))
  const { rows } = await sql<{ copied: number }>`
    select count(*)::int as copied from tool_invocations i join chat_messages m on m.id = i.chat_message_id
    where i.chat_id = ${forked} and m.chat_id = ${forked} and i.result = ${text}`.execute(world.open.platform.db)
  expect(rows).toEqual([{ copied: 1 }])
})

it('a fork cancels the tool calls that the original still waits for', async () => {
  const open = await chatWith(world, { tools: [client('look')] })
  await answer(world, open, says('looking', { name: 'look', arguments: { x: 1 } }))
  const [call] = await callsOf(world, open)
  expect(call?.status).toBe('awaiting_input')
  const message = (await messagesOf(world, open)).at(-1)
  const { data } = await world.call('owner', `POST /chats/${open}/fork`, { body: { message_id: message?.id } })
  expect(await callsOf(world, data.id)).toMatchObject([{ function: { name: 'look' }, status: 'cancelled' }])
  expect((await callsOf(world, open))[0]?.status).toBe('awaiting_input')
})
