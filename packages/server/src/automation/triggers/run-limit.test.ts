// Guarantees: a trigger starts no more runs than its workspace may start by hand, and the refusal is visible to the
// caller.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { expiryOf, givenTrigger, sendHook, settle } from './testing/given.ts'

const allowed = 5
let world: World
beforeAll(async () => {
  world = await createWorld({ settings: { RATE_LIMIT_RUN: String(allowed) } })
})
afterAll(() => world?.close())

const nextMinute = () => world.clock.advance(60_000)
const firesOf = async (id: string): Promise<{ status: string; error?: string }[]> =>
  (
    await world.call('owner', 'GET /trigger-fires', {
      query: { filters: JSON.stringify([{ field: 'trigger_id', value: id }]) },
    })
  ).data.items

describe('over the run limit', () => {
  it('a manual fire: 429 with the usual headers, and a row in the log', async () => {
    const { id } = await givenTrigger(world)
    nextMinute()
    const answers = []
    for (let count = 0; count <= allowed; count += 1)
      answers.push(await world.call('owner', `POST /triggers/${id}/fire`, { body: {} }))
    expect(answers.map(({ status }) => status)).toEqual([...Array(allowed).fill(200), 429])
    const refused = answers.at(-1)
    expect(refused?.code).toBe('rate_limited')
    expect(refused?.headers).toMatchObject({
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': expect.stringMatching(/^\d+$/),
      'retry-after': expect.stringMatching(/^\d+$/),
    })
    expect((await firesOf(id)).filter(({ status }) => status === 'error')).toHaveLength(1)
  })

  it('a webhook: the sender gets its answer, and the log names the limit', async () => {
    const trigger = await givenTrigger(world)
    nextMinute()
    for (let count = 0; count < allowed + 3; count += 1)
      expect((await sendHook(world, trigger, { count })).status).toBe(200)
    await settle(world)
    const rows = await firesOf(trigger.id)
    expect(rows.filter(({ status }) => status === 'success')).toHaveLength(allowed)
    expect(rows.filter(({ error = '' }) => error.includes(`At most ${allowed}`))).toHaveLength(3)
  })

  it('an interrupt still expires, because its answer is not a run', async () => {
    const { id } = await givenTrigger(world)
    // The limit is per minute, so the interrupt must expire in the minute in which the limit is used up.
    world.clock.advance(60_000 - (world.clock.now().getTime() % 60_000))
    const { interrupt_id: gate } = await expiryOf(world, 30)
    for (let count = 0; count < allowed; count += 1)
      await world.call('owner', `POST /triggers/${id}/fire`, { body: {} })
    world.clock.advance(40_000)
    await settle(world)
    const { data } = await world.call('owner', `GET /interrupts/${gate}`)
    expect(data).toMatchObject({ status: 'expired', resolution: 'allow' })
  })

  it('answers by triggers of users count, so a webhook cannot flood with them', async () => {
    const { interrupt_id } = await expiryOf(world)
    const trigger = await givenTrigger(world, { action: 'resolve_interrupt', interrupt_id })
    nextMinute()
    for (let count = 0; count < allowed + 3; count += 1) await sendHook(world, trigger)
    await settle(world)
    const rows = await firesOf(trigger.id)
    expect(rows.filter(({ error = '' }) => error.includes(`At most ${allowed}`))).toHaveLength(3)
  })

  it('manual and triggered runs count toward one limit', async () => {
    const { id } = await givenTrigger(world)
    nextMinute()
    for (let count = 0; count < allowed; count += 1)
      await world.call('owner', `POST /triggers/${id}/fire`, { body: {} })
    const run = await world.call('owner', 'POST /run', { body: { app: 'mill/none', input: {} } })
    expect([run.status, run.code]).toEqual([429, 'rate_limited'])
  })
})
