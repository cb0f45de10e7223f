// Guards: what a step of an agent's run asks of the database does not grow unnoticed, however long the conversation is.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { transactionsOf } from '../../testing/statements.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { answer, chatWith, run, says } from './testing/given.ts'

let world: World
beforeAll(async () => {
  world = await createWorld({ settings: { CHAT_MIN_BUSY_MS: '0' } })
})
afterAll(() => world?.close())

/** Remembered for a second by the clock of the machine: a slow one reads it anew at any step. */
const isReadEverySecond = (text: string): boolean => text.startsWith('select "usage_policies"')

/** The statements of the one transaction that wrote a step. */
const stepOf = async (work: () => Promise<unknown>): Promise<string[]> => {
  const steps = (await transactionsOf(work)).filter((sent) => sent.some((text) => text.startsWith('with saved_chat')))
  expect(steps).toHaveLength(1)
  return (steps[0] ?? []).filter((text) => !isReadEverySecond(text))
}

/** How the statements of a step begin, without what differs from one version to the next. */
const kinds = [
  ['the task ends', /^with moved as/],
  ['who may speak', /^select "chats".*limit \$2$/],
  ['the chat is locked', /^select from chats where id = .* for update/],
  ['the chat and its run', /^select to_jsonb\(c\).* as chat/],
  ['what is queued', /^select "chat_messages"\..*"status" = \$2 order by/],
  ['the rules', /^select "tool_rules"\./],
  ['the conversation', /^select "chat_messages"\..* as "calls" from/],
  ['the model is asked', /^with recursive t as materialized/],
  ['what changed is written', /^with saved_chat as/],
] as const
const named = (sent: readonly string[]): string[] =>
  sent.map((text) => kinds.find(([, begin]) => begin.test(text))?.[0] ?? text)

const call = { name: 'memory_set', arguments: { key: 'k', value: 'v' } }

it('a message, a turn with a call, and the last turn', async () => {
  const chatId = await chatWith(world)
  // What is read once and remembered has been read by then.
  await answer(world, chatId, says('', call))
  await answer(world, chatId, says('ready'))
  const message = await stepOf(() => run(world, { chat_id: chatId }))
  expect(named(message)).toEqual([
    'who may speak',
    'the chat is locked',
    'the chat and its run',
    'what is queued',
    'the conversation',
    'the model is asked',
    'what changed is written',
  ])
  const turn = await stepOf(() => answer(world, chatId, says('', call)))
  expect(named(turn)).toEqual([
    'the task ends',
    'the chat is locked',
    'the chat and its run',
    'the rules',
    'the conversation',
    'the model is asked',
    'what changed is written',
  ])
  for (let times = 0; times < 5; times += 1) await answer(world, chatId, says('', call, { ...call, id: 'again' }))
  const later = await stepOf(() => answer(world, chatId, says('', call)))
  expect(named(later)).toEqual(named(turn))
  const last = await stepOf(() => answer(world, chatId, says('done')))
  expect(named(last)).toEqual([
    'the task ends',
    'the chat is locked',
    'the chat and its run',
    'what changed is written',
  ])
})
