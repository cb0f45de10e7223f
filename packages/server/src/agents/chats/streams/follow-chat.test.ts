// Guarantees: a reader who follows an answer receives it from the first delta, and nothing after its end. The events
// carry the access columns, so no query is needed to check access.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { publishDelta } from '#execution/tasks/service.ts'
import { fail } from '#platform/core/errors.ts'
import { createWorld, type World } from '../../../testing/world.ts'
import type { ChatEvent } from './events.ts'
import { followChat, type LoadedEvents } from './follow-chat.ts'
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

const chat = { id: 'c', team_id: 't', user_id: 'u', visibility: 'team', team_org_id: null, deleted_at: null }

const ended: ChatEvent = { name: 'agent_runs', data: { id: 'r' }, state: 'completed' }

/** The events of a reader that receives a delta before its snapshot, then the given events, then the end of the run. */
const follow = async (events: readonly ChatEvent[]) => {
  const found = Promise.withResolvers<LoadedEvents>()
  const followed = {
    chatId: 'c',
    assertStillReadable: async () => {},
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
  world.open.platform.bus.publish(chatSubject('c'), { seq: 2, of: chat, events: [ended] })
  found.resolve({ seq: 1, events })
  return { first: (await first).value, second: (await reading.next()).value, reading }
}

it('a delta that arrives before the snapshot is sent after it', async () => {
  const { first, second, reading } = await follow([message('pending')])
  expect(first).toMatchObject({ type: 'update', data: { status: 'pending' } })
  expect(second).toEqual({ type: 'delta', data: { delta: { response: 'one' }, seq: 1, resource_id: 'm' } })
  await reading.return(undefined)
})

it('a message that is complete in the snapshot gets no more deltas', async () => {
  const { first, second } = await follow([message('ready')])
  expect(first).toMatchObject({ type: 'update', data: { status: 'ready' } })
  expect(second).toMatchObject({ type: 'update', data: { id: 'r' } })
})

it('an event carries the access columns; only an event without them causes a query', async () => {
  let looks = 0
  const judged: string[] = []
  const followed = {
    chatId: 'n',
    load: async () => {
      looks += 1
      return looks === 1 ? { seq: 1, events: [] } : { seq: 4, events: [ended] }
    },
    assertStillReadable: async (of: { visibility: string } | undefined) => {
      judged.push(of?.visibility ?? '')
      if (of?.visibility === 'private') throw fail('not_found', 'Chat not found')
    },
    pick: (event: ChatEvent) => ({ event: { type: 'update' as const, data: event.data as object }, ends: false }),
    wantsDeltas: () => false,
  }
  const { bus } = world.open.platform
  const reading = followChat(bus, followed, AbortSignal.timeout(60_000))
  const tell = (seq: number, visibility?: string) =>
    bus.publish(chatSubject('n'), { seq, ...(visibility && { of: { ...chat, visibility } }), events: [ended] })
  const first = reading.next()
  for (const seq of [2, 3]) tell(seq, 'public')
  await first
  await reading.next()
  expect({ looks, judged }).toEqual({ looks: 1, judged: ['public', 'public'] })
  tell(4)
  await reading.next()
  expect(looks).toBe(2)
  tell(5, 'private')
  await expect(reading.next()).rejects.toMatchObject({ code: 'not_found' })
})
