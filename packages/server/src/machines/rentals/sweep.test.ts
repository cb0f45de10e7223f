// Guarantees: one sweep checks all machines that are due, however many there are.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { givenCloud, offer, region } from '../instances/testing/given.ts'
import { sweepRentals } from './sweep.ts'
import { type BrokerDouble, grant, launchBody, startBroker } from './testing/broker-double.ts'

let world: World
let broker: BrokerDouble
beforeAll(async () => {
  world = await createWorld()
  broker = await startBroker()
  const cloud = { kind: 'http', name: 'West', url: broker.url, token: 'hush' }
  await givenCloud(world, 'west', [offer('cpu', [region('w1', 36)])], cloud)
  await grant(world, 10_000_000_000)
})
afterAll(async () => {
  await world?.close()
  await broker?.close()
})

/** One more than a sweep claims at once. */
const many = 21

it('twenty-one machines that their provider lost are all noticed and refunded in one sweep', async () => {
  const balance = async (): Promise<number> => (await world.call('owner', 'GET /billing')).data.balance
  const before = await balance()
  for (let count = 0; count < many; count += 1) {
    const { status, text } = await world.call('owner', 'POST /engines', { body: launchBody(world) })
    expect([status, text]).toEqual([200, text])
  }
  const paid = before - (await balance())
  broker.machines.clear()
  world.clock.advance(15_000)
  await sweepRentals(world.ctx())
  const { data } = await world.call('owner', 'POST /engines/list', { body: { limit: -1 } })
  expect(data.items.map(({ stop_reason: reason }: { stop_reason: string }) => reason)).toEqual(
    Array.from({ length: many }, () => 'instance_lost'),
  )
  // 36 cents per hour each, of which fifteen seconds were used.
  expect(before - (await balance())).toBe((many * 36 * 1_000_000 * 15) / 3600)
  expect(paid).toBeGreaterThan(before - (await balance()))
})
