// Guarantees: the messages queued in a chat are bounded, in number and size, because every step of the chat reads all
// of them, including the one that stops it.
import { newId } from '@millrace/contract/ids'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { scenarios, sharedWorld } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import { chatWith } from './testing/given.ts'

const shared = sharedWorld({ settings: { CHAT_MIN_BUSY_MS: '0' } })

const send = (world: World, chatId: string, message: string) =>
  world.call('owner', `POST /chats/${chatId}/messages`, { body: { message } })

/** A busy chat with this many queued messages of this length; the last one that fits is accepted. */
const waiting = async (world: World, count: number, length: number): Promise<string> => {
  const chatId = await chatWith(world)
  const { data } = await send(world, chatId, 'first')
  const { db } = world.open.platform
  await sql`update chat_messages set content = jsonb_build_array(jsonb_build_object(
    'type', 'text', 'text', repeat('x', ${length}::int))) where id = ${data.id}`.execute(db)
  for (let more = 1; more < count; more += 1)
    await sql`insert into chat_messages select (jsonb_populate_record(m, jsonb_build_object(
      'id', ${newId()}::text, 'order', m."order" + ${more}::int))).* from chat_messages m where m.id = ${data.id}`.execute(
      db,
    )
  await sql`update chats set next_order = next_order + ${count}::int where id = ${chatId}`.execute(db)
  expect((await send(world, chatId, 'x'.repeat(900_000))).status).toBe(200)
  return chatId
}

const refused = { as: 'owner', status: 409, code: 'invalid_state' } as const

/** Queued messages can be deleted and the run can be stopped. */
const canBeEmptied = async (world: World, chatId: string): Promise<void> => {
  const query = { limit: '1', fields: '["id"]' }
  const { data } = await world.call('owner', `GET /chats/${chatId}/messages`, { query })
  expect((await world.call('owner', `POST /chats/messages/${data.items[0].id}/cancel`)).status).toBe(200)
  expect((await world.call('owner', `POST /chats/${chatId}/stop`)).status).toBe(200)
}

for (const [what, count, length] of [
  ['many wait', 99, 10],
  ['much waits', 8, 1_020_000],
] as const) {
  const given = (world: World) => waiting(world, count, length)
  scenarios(
    'chats.send',
    given,
    [
      {
        claim: `with a full queue (${what}), until the agent reads it`,
        path: (id) => ({ id }),
        body: { message: 'too much' },
        check: (_answer, id, world) => canBeEmptied(world, id),
        ...refused,
      },
    ],
    shared,
  )
  scenarios(
    'agents.run',
    given,
    [
      {
        claim: `in a chat with a full queue (${what})`,
        body: (chat_id: string) => ({ chat_id, input: { text: 'too much' } }),
        ...refused,
      },
    ],
    shared,
  )
}
