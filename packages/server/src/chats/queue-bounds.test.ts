// Guards: what waits in a chat is bounded, in number and in size: every step of the chat reads all of it, and from some size
// on none could, not even the one that stops it.
import { newId } from '@millrace/contract/ids'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../testing/world.ts'
import { chatWith } from './testing/given.ts'

let world: World
beforeAll(async () => {
  world = await createWorld({ settings: { CHAT_MIN_BUSY_MS: '0' } })
})
afterAll(() => world?.close())

const send = (chatId: string, message: string) =>
  world.call('owner', `POST /chats/${chatId}/messages`, { body: { message } })

/** A busy chat in which so many messages wait, each of so many characters. */
const waiting = async (count: number, length: number): Promise<string> => {
  const chatId = await chatWith(world)
  const { data } = await send(chatId, 'first')
  const { db } = world.open.platform
  await sql`update chat_messages set content = jsonb_build_array(jsonb_build_object(
    'type', 'text', 'text', repeat('x', ${length}::int))) where id = ${data.id}`.execute(db)
  for (let more = 1; more < count; more += 1)
    await sql`insert into chat_messages select (jsonb_populate_record(m, jsonb_build_object(
      'id', ${newId()}::text, 'order', m."order" + ${more}::int))).* from chat_messages m where m.id = ${data.id}`.execute(
      db,
    )
  await sql`update chats set next_order = next_order + ${count}::int where id = ${chatId}`.execute(db)
  return chatId
}

it.each([
  ['many', 99, 10],
  ['large', 8, 4_100_000],
])('where what waits is %s, nothing more is taken until the agent has heard it', async (_what, count, length) => {
  const chatId = await waiting(count, length)
  expect((await send(chatId, 'x'.repeat(900_000))).status).toBe(200)
  const refused = await send(chatId, 'too much')
  expect([refused.status, refused.code]).toEqual([409, 'invalid_state'])
  const run = await world.call('owner', 'POST /agents/run', { body: { chat_id: chatId, input: { text: 'too much' } } })
  expect([run.status, run.code]).toEqual([409, 'invalid_state'])
  const { data } = await world.call('owner', `GET /chats/${chatId}/messages`, {
    query: { limit: '1', fields: '["id"]' },
  })
  expect((await world.call('owner', `POST /chats/messages/${data.items[0].id}/cancel`)).status).toBe(200)
  expect((await world.call('owner', `POST /chats/${chatId}/stop`)).status).toBe(200)
})
