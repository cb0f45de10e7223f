// Guarantees: the SQL statements of a step do not increase unnoticed, however long the conversation is.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { transactionsOf } from '../../../testing/statements.ts'
import { createWorld, type World } from '../../../testing/world.ts'
import { answer, chatWith, run, says } from '../testing/given.ts'

let world: World
beforeAll(async () => {
  world = await createWorld({ settings: { CHAT_MIN_BUSY_MS: '0' } })
})
afterAll(() => world?.close())

/** Cached for one second of real time, so a slow machine may query it in any step. */
const isReadEverySecond = (text: string): boolean => text.startsWith('select "usage_policies"')

/** The statements of the transaction that wrote a step. */
const stepOf = async (work: () => Promise<unknown>): Promise<string[]> => {
  const steps = (await transactionsOf(work)).filter((sent) => sent.some((text) => text.startsWith('with saved_chat')))
  expect(steps).toHaveLength(1)
  return (steps[0] ?? []).filter((text) => !isReadEverySecond(text))
}

/** The beginnings of a step's statements, without parts that differ between versions. */
const kinds = [
  ['task end', /^with available as/],
  ['write access', /^select "chats".*limit \$2$/],
  ['chat lock', /^select from chats where id = .* for update/],
  ['chat and run', /^select to_jsonb\(c\).* as chat/],
  ['queued messages', /^select "chat_messages"\..*"status" = \$2 order by/],
  ['the rules', /^select "tool_rules"\./],
  ['the conversation', /^select "chat_messages"\..* as "calls" from/],
  ['model call', /^with recursive given as materialized/],
  ['write of the changes', /^with saved_chat as/],
] as const
const named = (sent: readonly string[]): string[] =>
  sent.map((text) => kinds.find(([, begin]) => begin.test(text))?.[0] ?? text)

const call = { name: 'memory_set', arguments: { key: 'k', value: 'v' } }

it('a message, a turn with a call, and the last turn', async () => {
  const chatId = await chatWith(world)
  // Fills the caches first.
  await answer(world, chatId, says('', call))
  await answer(world, chatId, says('ready'))
  const message = await stepOf(() => run(world, { chat_id: chatId }))
  expect(named(message)).toEqual([
    'write access',
    'chat lock',
    'chat and run',
    'queued messages',
    'the conversation',
    'model call',
    'write of the changes',
  ])
  const turn = await stepOf(() => answer(world, chatId, says('', call)))
  expect(named(turn)).toEqual([
    'task end',
    'chat lock',
    'chat and run',
    'the rules',
    'the conversation',
    'model call',
    'write of the changes',
  ])
  for (let times = 0; times < 5; times += 1) await answer(world, chatId, says('', call, { ...call, id: 'again' }))
  const later = await stepOf(() => answer(world, chatId, says('', call)))
  expect(named(later)).toEqual(named(turn))
  const last = await stepOf(() => answer(world, chatId, says('done')))
  expect(named(last)).toEqual(['task end', 'chat lock', 'chat and run', 'write of the changes'])
})
