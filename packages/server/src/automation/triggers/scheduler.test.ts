// Guarantees: a tick fires once for any number of servers and any downtime. A scheduled trigger fires once, within its
// minute, and is then disabled, whether or not its run started. Disabled triggers do not fire.
import type { Trigger } from '@millrace/contract/triggers'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openReplica } from '../../testing/replica.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { fireDue, restUntilDue } from './scheduler.ts'
import { firesOf, givenTrigger, settle, tasksOf } from './testing/given.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const inUtc = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z')
const nowMs = () => world.clock.now().getTime()
const nextHourMs = () => Math.floor(nowMs() / hourMs) * hourMs + hourMs

const show = async ({ id }: Trigger): Promise<Trigger> => (await world.call('key:', `GET /triggers/${id}`)).data
const logOf = (trigger: Trigger) => firesOf(world, trigger, 'key:')

const hourly = (body: object = {}) =>
  givenTrigger(world, { type: 'cron', config: { expression: '0 * * * *' }, ...body }, 'key:')
const oneShot = (at: number, body: object = {}) =>
  givenTrigger(world, { type: 'scheduled', scheduled_at: new Date(at).toISOString(), ...body }, 'key:')

describe('a cron trigger', () => {
  it('fires at its tick with the time of the tick, and continues', async () => {
    const trigger = await hourly()
    const firstMs = nextHourMs()
    expect(await logOf(trigger)).toEqual([])
    world.clock.advance(firstMs - nowMs() - 1)
    expect(await logOf(trigger)).toEqual([])
    world.clock.advance(1)
    expect(await logOf(trigger)).toMatchObject([
      { status: 'success', payload: { scheduled_at: inUtc(firstMs), trigger_id: trigger.id } },
    ])
    world.clock.advance(hourMs)
    expect((await logOf(trigger)).map(({ payload }) => (payload as { scheduled_at: string }).scheduled_at)).toEqual([
      inUtc(firstMs),
      inUtc(firstMs + hourMs),
    ])
    expect(await show(trigger)).toMatchObject({ enabled: true, fire_count: 2 })
  })

  it('runs with its own input; without one, with the tick', async () => {
    const [own, bare] = [await hourly({ input: { n: 4 } }), await hourly()]
    const tickMs = nextHourMs()
    world.clock.advance(hourMs)
    await settle(world)
    expect(await tasksOf(world, own)).toMatchObject([{ input: { n: 4 } }])
    expect(await tasksOf(world, bare)).toMatchObject([{ input: { scheduled_at: inUtc(tickMs), trigger_id: bare.id } }])
  })

  it('fires once for all missed ticks, as the last of them', async () => {
    const trigger = await hourly()
    world.clock.advance(72 * hourMs + minuteMs)
    const lastMs = Math.floor(nowMs() / hourMs) * hourMs
    expect(await logOf(trigger)).toMatchObject([{ payload: { scheduled_at: inUtc(lastMs) } }])
    await settle(world)
    expect(await logOf(trigger)).toHaveLength(1)
  })

  it('skips ticks from the time when it was disabled', async () => {
    const trigger = await hourly({ enabled: false })
    world.clock.advance(3 * hourMs)
    await world.call('key:', `POST /triggers/${trigger.id}`, { body: { enabled: true } })
    expect(await logOf(trigger)).toEqual([])
    world.clock.advance(hourMs)
    expect(await logOf(trigger)).toHaveLength(1)
  })

  it('is not fired twice by two servers', async () => {
    const replica = await openReplica(world)
    try {
      const triggers = await Promise.all(Array.from({ length: 12 }, () => hourly()))
      for (let round = 1; round <= 3; round += 1) {
        world.clock.advance(hourMs)
        await Promise.all(Array.from({ length: 6 }, () => fireDue(world.ctx())))
        await settle(world)
        for (const trigger of triggers) expect(await logOf(trigger)).toHaveLength(round)
      }
    } finally {
      await replica.close()
    }
  })

  it('whose run cannot start is logged, and continues', async () => {
    const trigger = await hourly()
    await world.call('key:', `DELETE /apps/${trigger.app_id}`)
    world.clock.advance(hourMs)
    world.clock.advance(hourMs)
    expect(await logOf(trigger)).toMatchObject([{ status: 'error', error: 'App not found' }])
    world.clock.advance(hourMs)
    expect(await logOf(trigger)).toHaveLength(2)
    expect(await show(trigger)).toMatchObject({ enabled: true, fire_count: 0 })
  })

  it('whose schedule is no longer valid is disabled and logged', async () => {
    const trigger = await hourly()
    await world.open.platform.db
      .updateTable('triggers')
      .set({ config: JSON.stringify({ expression: '0 * * * *', timezone: 'Atlantis/Capital' }) })
      .where('id', '=', trigger.id)
      .execute()
    world.clock.advance(hourMs)
    expect(await logOf(trigger)).toMatchObject([{ status: 'error', error: 'The schedule is no longer valid' }])
    expect(await show(trigger)).toMatchObject({ enabled: false })
  })
})

describe('a one-shot', () => {
  it('with a time that no date reads fires all the same, and keeps nobody else waiting', async () => {
    const stray = await oneShot(nowMs() + hourMs)
    const other = await oneShot(nowMs() + minuteMs)
    await sql`update triggers set next_fire_at = '0001-01-01 00:00:00+00 BC' where id = ${stray.id}`.execute(
      world.open.platform.db,
    )
    world.clock.advance(minuteMs)
    expect(await logOf(other)).toMatchObject([{ status: 'success' }])
    expect(await logOf(stray)).toMatchObject([{ status: 'success' }])
    expect(await show(stray)).toMatchObject({ enabled: false, fire_count: 1 })
  })

  it('fires once at its time and is then disabled', async () => {
    const atMs = nowMs() + 10 * minuteMs
    const trigger = await oneShot(atMs, { input: { n: 9 } })
    world.clock.advance(10 * minuteMs - 1)
    expect(await logOf(trigger)).toEqual([])
    world.clock.advance(1)
    expect(await logOf(trigger)).toMatchObject([
      { status: 'success', payload: { scheduled_at: inUtc(atMs), trigger_id: trigger.id } },
    ])
    expect(await tasksOf(world, trigger)).toMatchObject([{ input: { n: 9 } }])
    expect(await show(trigger)).toMatchObject({ enabled: false, fire_count: 1 })
    world.clock.advance(hourMs)
    expect(await logOf(trigger)).toHaveLength(1)
  })

  it('with a time in the past fires at the next check', async () => {
    const trigger = await oneShot(nowMs() - 90 * 24 * hourMs)
    expect(await logOf(trigger)).toHaveLength(1)
  })

  it('is disabled even if its run cannot start', async () => {
    const trigger = await oneShot(nowMs() + minuteMs)
    await world.call('key:', `DELETE /apps/${trigger.app_id}`)
    world.clock.advance(minuteMs)
    expect(await logOf(trigger)).toMatchObject([{ status: 'error' }])
    expect(await show(trigger)).toMatchObject({ enabled: false, fire_count: 0 })
  })

  it('fires again only after rescheduling', async () => {
    const trigger = await oneShot(nowMs() + minuteMs)
    world.clock.advance(minuteMs)
    await settle(world)
    const change = (body: object) => world.call('key:', `POST /triggers/${trigger.id}`, { body })
    await change({ enabled: true })
    world.clock.advance(hourMs)
    expect(await logOf(trigger)).toHaveLength(1)
    await change({ enabled: true, scheduled_at: new Date(nowMs() + minuteMs).toISOString() })
    world.clock.advance(minuteMs)
    expect(await logOf(trigger)).toHaveLength(2)
    expect(await show(trigger)).toMatchObject({ enabled: false })
  })

  it('disabled before its time fires when it is enabled later', async () => {
    const trigger = await oneShot(nowMs() + minuteMs, { enabled: false })
    world.clock.advance(hourMs)
    expect(await logOf(trigger)).toEqual([])
    await world.call('key:', `POST /triggers/${trigger.id}`, { body: { enabled: true } })
    expect(await logOf(trigger)).toHaveLength(1)
  })
})

it('the scheduler rests until the next tick, within its limit', async () => {
  const other = await createWorld()
  try {
    expect(await restUntilDue(other.ctx(), 5_000)).toBe(5_000)
    await givenTrigger(other, {
      type: 'scheduled',
      scheduled_at: new Date(other.clock.now().getTime() + 3_000).toISOString(),
    })
    expect(await restUntilDue(other.ctx(), 5_000)).toBe(3_000)
    other.clock.advance(2_999)
    expect(await restUntilDue(other.ctx(), 5_000)).toBeGreaterThan(0)
  } finally {
    await other.close()
  }
})
