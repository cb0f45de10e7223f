// Guarantees: a limit that every run checks is cached, and a change applies at once on every server: for one workspace
// or, through its plan, for all, also during a concurrent read.
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { openReplica, type Replica } from '../../testing/replica.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { forgetLimits } from './limits-cache.ts'
import { assignPlan, cachedEntitlement, setEntitlement } from './service.ts'

let world: World
let second: Replica
beforeAll(async () => {
  world = await createWorld()
  second = await openReplica(world)
})
afterAll(async () => {
  await second?.close()
  await world?.close()
})
// The clock of the world is frozen, so cache entries do not expire.
beforeEach(() => forgetLimits(world.open.platform, '*'))

const runsPerMinute = async (platform = world.open.platform): Promise<number> =>
  (await cachedEntitlement({ ...world.ctx(), ...platform }, 'rate_per_min', world.team.id)).limit

const definePlan = async (name: string, limit: number): Promise<void> => {
  const limits = { rate_per_min: { type: 'limit', limit } }
  const { status } = await world.call('platform', `PUT /plans/${name}`, { body: { plan_type: 'base', limits } })
  expect(status).toBe(200)
}

it('a plan that is changed counts at once, for who has it and for who has none other', async () => {
  await definePlan('self-hosted', 50)
  expect([await runsPerMinute(), await runsPerMinute(second.open.platform)]).toEqual([50, 50])
  await definePlan('self-hosted', 40)
  expect(await runsPerMinute()).toBe(40)
  await expect.poll(() => runsPerMinute(second.open.platform)).toBe(40)
  await definePlan('small', 7)
  await assignPlan(world.ctx(), world.team.id, 'small')
  expect(await runsPerMinute()).toBe(7)
  await definePlan('small', 6)
  expect(await runsPerMinute()).toBe(6)
  await expect.poll(() => runsPerMinute(second.open.platform)).toBe(6)
})

it('what the operator sets for a workspace, too', async () => {
  await runsPerMinute()
  await setEntitlement(world.ctx(), world.team.id, 'rate_per_min', 3)
  expect(await runsPerMinute()).toBe(3)
  expect((await world.call('platform', `DELETE /workspaces/${world.team.id}/limits/rate_per_min`)).status).toBe(200)
  expect(await runsPerMinute()).toBe(6)
})

it('what was read before a change and comes after it is not remembered', async () => {
  const { db } = world.open.platform
  const late = await db.transaction().execute(async (tx) => {
    // The plan has been read; the rest of the query is delayed.
    await sql`lock table entitlements in access exclusive mode`.execute(tx)
    const reading = runsPerMinute()
    const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await waiting.execute(db)).rows).toHaveLength(1)
    await definePlan('small', 5)
    return { reading }
  })
  expect(await late.reading).toBe(6)
  expect(await runsPerMinute()).toBe(5)
})
