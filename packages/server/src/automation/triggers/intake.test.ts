// Guarantees: concurrent deliveries are inserted together, each with its own result. A repeated delivery counts once. A
// delivery that cannot be stored, or whose trigger has changed, does not affect others.

import { newId } from '@millrace/contract/ids'
import type { Trigger } from '@millrace/contract/triggers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import type { NewDelivery } from './fires-store.ts'
import { createDeliveryIntake } from './intake.ts'
import { firesOf, givenTrigger } from './testing/given.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const delivery = (trigger: Trigger, values: Partial<NewDelivery> = {}, revision = 1): NewDelivery => ({
  id: newId(),
  trigger: { id: trigger.id, revision, secretStamp: '' },
  status: 'pending',
  payload: '{"n":1}',
  wholePayload: null,
  deliveryId: null,
  duplicates: 0,
  traceparent: '',
  ...values,
})

const openIntake = (onStored = () => {}) => {
  const { db } = world.open.platform
  return createDeliveryIntake({ db, now: world.clock.now, onStored })
}

it('concurrent deliveries take few statements and one notification per batch', async () => {
  const trigger = await givenTrigger(world)
  let told = 0
  const intake = openIntake(() => {
    told += 1
  })
  const all = Array.from({ length: 700 }, () => intake.add(delivery(trigger)))
  expect(intake.isOverloaded()).toBe(true)
  expect(new Set(await Promise.all(all))).toEqual(new Set([true]))
  expect(await firesOf(world, trigger)).toHaveLength(700)
  expect(told).toBeLessThan(10)
  expect(intake.isOverloaded()).toBe(false)
})

it('a repeated delivery counts once, within a batch and across batches', async () => {
  const trigger = await givenTrigger(world)
  const intake = openIntake()
  const same = () => intake.add(delivery(trigger, { deliveryId: 'same' }))
  expect(await Promise.all([same(), same(), same()])).toEqual([true, true, true])
  expect(await same()).toBe(true)
  expect(await firesOf(world, trigger)).toMatchObject([{ duplicates: 3 }])
})

it('an id is stored as sent, with any characters', async () => {
  const trigger = await givenTrigger(world)
  const intake = openIntake()
  const ids = ['plain', 'a"b', 'a\\b', '\\', '"', '{a,b}', 'NULL', ' ', 'ö,"\\"', "it's"]
  const whole = '{"quote":"\\"","back":"\\\\","list":["{","}"]}'
  const all = ids.flatMap((deliveryId) => [1, 2].map(() => delivery(trigger, { deliveryId, wholePayload: whole })))
  expect(new Set(await Promise.all(all.map(intake.add)))).toEqual(new Set([true]))
  const rows = await world.open.platform.db
    .selectFrom('trigger_fires')
    .select(['delivery_id', 'duplicates', 'whole_payload'])
    .where('trigger_id', '=', trigger.id)
    .execute()
  expect(new Set(rows.map((row) => row.delivery_id))).toEqual(new Set(ids))
  for (const row of rows) expect(row).toMatchObject({ duplicates: 1, whole_payload: JSON.parse(whole) })
  expect(rows).toHaveLength(ids.length)
})

it('a changed trigger accepts nothing and does not affect others', async () => {
  const [trigger, changed, disabled] = [
    await givenTrigger(world),
    await givenTrigger(world),
    await givenTrigger(world, { enabled: false }),
  ]
  const intake = openIntake()
  const answers = await Promise.all([
    intake.add(delivery(changed, {}, 7)),
    intake.add(delivery(trigger)),
    intake.add(delivery(disabled)),
    intake.add(delivery(trigger, { trigger: { id: trigger.id, revision: 1, secretStamp: 'old:1' } })),
  ])
  expect(answers).toEqual([false, true, false, false])
  expect(await firesOf(world, trigger)).toHaveLength(1)
  expect(await firesOf(world, changed)).toEqual([])
})

it('a payload that the database refuses fails alone', async () => {
  const trigger = await givenTrigger(world)
  const intake = openIntake()
  const [good, bad, other] = await Promise.allSettled([
    intake.add(delivery(trigger)),
    intake.add(delivery(trigger, { payload: '{broken' })),
    intake.add(delivery(trigger)),
  ])
  expect([good?.status, bad?.status, other?.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await firesOf(world, trigger)).toHaveLength(2)
})
