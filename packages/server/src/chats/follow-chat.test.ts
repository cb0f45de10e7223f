// Guards: whoever follows an answer that is being written hears it from its first word on, and nothing of it after its end.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { publishDelta } from '../tasks/service.ts'
import { createWorld, type World } from '../testing/world.ts'
import type { ChatEvent } from './events.ts'
import { followChat, type Loaded } from './follow-chat.ts'
import { chatSubject } from './subjects.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const shown = (status: string) => ({ id: 'm', status })

const message = (status: string): ChatEvent => ({
  name: 'chat_messages',
  data: shown(status),
  runId: 'r',
  role: 'assistant',
  status,
  taskId: 't',
})

const ended: ChatEvent = { name: 'agent_runs', data: { id: 'r' }, state: 'completed' }

/** What a reader is shown that hears a word before it could look, then finds these events, then the end of the run. */
const follow = async (events: readonly ChatEvent[]) => {
  const found = Promise.withResolvers<Loaded>()
  const followed = {
    chatId: 'c',
    load: () => found.promise,
    pick: (event: ChatEvent) => ({
      event: { type: 'update' as const, data: event.data as object },
      ends: event === ended,
    }),
    wantsDeltas: () => true,
    begun: { messageId: 'm', taskId: 't' },
  }
  const reading = followChat(world.open.platform.bus, followed, AbortSignal.timeout(60_000))
  const first = reading.next()
  publishDelta(world.ctx(), 't', 1, { value: { response: 'one' }, sizeBytes: 10 })
  world.open.platform.bus.publish(chatSubject('c'), { seq: 2, events: [ended] })
  found.resolve({ seq: 1, events })
  return { first: (await first).value, second: (await reading.next()).value, reading }
}

it('a word that comes before the reader has looked is told after what it finds', async () => {
  const { first, second, reading } = await follow([message('pending')])
  expect(first).toMatchObject({ type: 'update', data: { status: 'pending' } })
  expect(second).toEqual({ type: 'delta', data: { delta: { response: 'one' }, seq: 1, resource_id: 'm' } })
  await reading.return(undefined)
})

it('a message that is found whole is not added to', async () => {
  const { first, second } = await follow([message('ready')])
  expect(first).toMatchObject({ type: 'update', data: { status: 'ready' } })
  expect(second).toMatchObject({ type: 'update', data: { id: 'r' } })
})
