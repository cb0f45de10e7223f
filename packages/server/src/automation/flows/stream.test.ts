// Guarantees: every reader of a flow sees each applied batch once and in order, and the whole flow after other changes
// or a missed batch. A reader who loses access receives nothing more.
import type { FlowActionsEvent } from '@millrace/contract/flows'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMemoryBus } from '#platform/bus/memory.ts'
import type { StreamEvent } from '#platform/core/event-stream.ts'
import { listen, readStream } from '../../testing/read-stream.ts'
import { scenarios } from '../../testing/scenarios.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { flowEvents, inOrder } from './stream.ts'
import { type FlowUpdate, flowSubject } from './subjects.ts'
import { act, addNode, givenFlow, givenFlows, readRefusals, showFlow } from './testing/given.ts'

const batch = (version: number): FlowActionsEvent => ({ version, actions: [], user_id: 'u' })
const update = (version: number): FlowUpdate => ({ actions: batch(version) })

describe('the order of batches', () => {
  it.each<[string, FlowUpdate[], number[] | 'reload']>([
    ['nothing', [], []],
    ['the next batch', [update(4)], [4]],
    ['several batches that arrive out of order', [update(5), update(4)], [4, 5]],
    ['no batch that was seen already', [update(2), update(3)], []],
    ['a gap causes a reload', [update(5)], 'reload'],
    ['any other change causes a reload', [update(4), { changed: true }], 'reload'],
  ])('%s', (_name, given, expected) => {
    const result = inOrder(given, 3)
    expect(result === 'reload' ? result : result.map((one) => one.version)).toEqual(expected)
  })
})

it('a slow reader gets the current flow', async () => {
  const bus = createMemoryBus(() => {})
  const abort = new AbortController()
  let version = 0
  const events = flowEvents(bus, flowSubject('s'), async () => ({ version, data: { version } }), abort.signal)
  expect((await events.next()).value).toMatchObject({ type: 'update', id: 0 })
  for (version = 1; version <= 1_000; version += 1) bus.publish(flowSubject('s'), update(version))
  version = 1_000
  const next = (await events.next()).value as StreamEvent
  expect(next).toMatchObject({ type: 'update', id: 1_000, data: { version: 1_000 } })
  abort.abort()
  expect((await events.next()).done).toBe(true)
})

describe('over the wire', () => {
  let world: World
  let origin: string
  beforeAll(async () => {
    world = await createWorld()
    origin = await world.listen()
  })
  afterAll(() => world?.close())

  const open = async (as: 'owner' | 'member', id: string) =>
    readStream(`${origin}/flows/${id}/stream`, {
      authorization: `Bearer ${await world.token(as)}`,
      'x-team-id': world.team.id,
    })

  it('a second editor receives the flow, then each action, then a change of its name', async () => {
    const flow = await showFlow(world, 'owner', await givenFlow(world, 'owner'), 'unlisted')
    const stream = await open('member', flow.id)
    expect(await stream.next()).toMatchObject({ event: 'update', data: { id: flow.id, nodes: [] } })
    await act(world, 'owner', flow, [addNode('a')])
    await act(world, 'member', flow, [addNode('b')])
    expect(await stream.next()).toEqual({
      event: 'actions',
      id: '1',
      data: { version: 1, actions: [addNode('a')], user_id: world.people.owner.userId },
    })
    expect(await stream.next()).toMatchObject({ event: 'actions', data: { version: 2, actions: [addNode('b')] } })
    await world.call('owner', `PATCH /flows/${flow.id}`, { body: { title: 'Renamed' } })
    expect(await stream.next()).toMatchObject({ event: 'update', data: { title: 'Renamed' } })
    stream.close()
  })

  it('ends with an error when the flow is hidden from the reader', async () => {
    const flow = await showFlow(world, 'owner', await givenFlow(world, 'owner'), 'unlisted')
    const stream = await open('member', flow.id)
    await stream.next()
    await showFlow(world, 'owner', flow, 'private')
    expect(await stream.next()).toMatchObject({ event: 'error', data: { status: 404 } })
    expect(await stream.next()).toBeNull()
  })

  it('ends when the key that opened it is revoked', async () => {
    const flow = await givenFlow(world, 'owner')
    const { data: key } = await world.call('owner', 'POST /apikeys', { body: { name: 'follower' } })
    const stream = await readStream(`${origin}/flows/${flow.id}/stream`, { authorization: `Bearer ${key.key}` })
    expect(stream.status).toBe(200)
    await stream.next()
    await world.call('owner', `DELETE /apikeys/${key.id}`)
    expect(await stream.next()).toBeNull()
  })

  it('ends with an error when the flow is deleted', async () => {
    const flow = await givenFlow(world, 'owner')
    const stream = await open('owner', flow.id)
    await stream.next()
    await world.call('owner', `DELETE /flows/${flow.id}`)
    expect(await stream.next()).toMatchObject({ event: 'error', data: { status: 404 } })
  })
})

scenarios('flows.stream', givenFlows, [
  {
    claim: 'the creator streams a private flow',
    as: 'member',
    path: ({ hidden }) => ({ id: hidden.id }),
    act: (world, { hidden }) => listen(world, { as: 'member', path: `/flows/${hidden.id}/stream`, until: /\n\n/ }),
    status: 200,
    check: ({ text }, { hidden }) => expect(text).toContain(`"id":"${hidden.id}"`),
  },
  {
    claim: 'a signed-out caller streams a public flow',
    as: null,
    act: (world, { foreign }) => listen(world, { as: null, path: `/flows/${foreign.id}/stream`, until: /\n\n/ }),
    status: 200,
  },
  ...readRefusals,
])
