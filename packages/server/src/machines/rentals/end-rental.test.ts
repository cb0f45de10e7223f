// Guarantees: for every end of a rental, the unused time is refunded exactly once and the machine is removed.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { verifyLedger } from '#money/billing/service.ts'
import { until } from '../../testing/until.ts'
import { type Answer, createWorld, type World } from '../../testing/world.ts'
import { startEngine } from '../engines/testing/engine-double.ts'
import { sweepOrphans, sweepRentals } from './sweep.ts'
import {
  type BrokerDouble,
  balanceOf,
  create,
  endIn,
  givenFunds,
  hourMs,
  startBroker,
} from './testing/broker-double.ts'

let broker: BrokerDouble
beforeAll(async () => {
  broker = await startBroker()
})
afterAll(() => broker.close())
beforeEach(() => {
  Object.assign(broker, { behavior: 'ok', removes: true })
})

describe('the end of a rental', () => {
  let world: World
  let engine: Answer['data']
  let before: number
  beforeEach(async () => {
    world = await createWorld()
    await givenFunds(world, broker)
    before = await balanceOf(world)
    engine = (await create()(world)).data
  })
  afterEach(async () => {
    expect((await verifyLedger(world.open.platform)).ok).toBe(true)
    await world.close()
    broker.machines.clear()
  })
  const sweep = () => sweepRentals(world.ctx())
  const spent = async () => before - (await balanceOf(world))
  const shown = async () => (await world.call('owner', `GET /engines/${engine.id}`)).data
  const machine = () => broker.machines.get(engine.instance.id)
  const keyWorks = async () =>
    (await world.call({ token: machine()?.engine.api_key ?? '' }, 'GET /engines', { team: world.team.id })).status ===
    200

  it.each([
    ['stop', () => world.call('owner', `POST /engines/${engine.id}/stop`)],
    ['delete', () => world.call('owner', `DELETE /engines/${engine.id}`)],
    ['archiving the workspace', () => world.call('owner', `DELETE /teams/${world.team.id}`)],
  ])('%s refunds every whole unused second once, revokes the key and removes the machine', async (_what, end) => {
    expect(await keyWorks()).toBe(true)
    world.clock.advance(10_500)
    expect((await end()).status).toBe(200)
    expect(await keyWorks()).toBe(false)
    await end()
    await sweep()
    expect(machine()).toBeUndefined()
    const rows = await world.open.platform.db
      .selectFrom('transactions')
      .select(['type', 'amount'])
      .where('reference_id', '=', engine.id)
      .orderBy('seq')
      .execute()
    expect(rows).toEqual([
      { type: 'debit', amount: -36_000_000 },
      { type: 'refund', amount: 3589 * 10_000 },
    ])
  })

  it('the machine’s engine connects with its key and runs tasks of the workspace', async () => {
    const as = { token: machine()?.engine.api_key ?? '' }
    const up = await startEngine(world, { id: engine.id, as })
    expect(up.id).toBe(engine.id)
    await sweep()
    expect(await shown()).toMatchObject({ status: 'running', instance: { status: 'active' } })
    world.clock.advance(1000)
    await world.call('owner', `POST /engines/${engine.id}/stop`)
    await up.next('engine_stop')
    await up.drop()
    expect(await spent()).toBe(10_000)
  })

  it('at its end it is stopped, removed and no longer listed, without a refund', async () => {
    world.clock.advance(hourMs)
    await sweep()
    expect(await spent()).toBe(36_000_000)
    expect((await world.call('owner', `GET /engines/${engine.id}`)).status).toBe(404)
    await sweep()
    expect(machine()).toBeUndefined()
  })

  it.each([
    ['on_demand', 'instance_lost'],
    ['spot', 'preempted'],
  ])('a machine (%s) that its provider has lost is %s', async (rental_type, reason) => {
    engine = (await create({}, { rental_type })(world)).data
    const paid = await balanceOf(world)
    world.clock.advance(20_000)
    broker.machines.delete(engine.instance.id)
    await sweep()
    expect(await shown()).toMatchObject({ status: 'stopped', stop_reason: reason })
    const perSecond = rental_type === 'spot' ? 12_000_000 / 3600 : 10_000
    expect((await balanceOf(world)) - paid).toBe(Math.floor(3580 * perSecond))
  })

  it('a provider that cannot tell the status keeps the machine', async () => {
    const lost = machine()
    if (lost) broker.machines.set(engine.instance.id, { ...lost, status: 'melting' })
    world.clock.advance(20_000)
    await sweep()
    expect((await shown()).status).toBe('pending')
  })

  it('a notice of interruption drains the engine, and the idle engine is preempted', async () => {
    const as = { token: machine()?.engine.api_key ?? '' }
    const up = await startEngine(world, { id: engine.id, as })
    Object.assign(machine() ?? {}, { interruption_at: endIn(world, 60_000) })
    // A status request that the provider answers too late is repeated at the next sweep.
    let seconds = 0
    await until(async () => {
      world.clock.advance(10_000)
      seconds += 10
      await sweep()
      return (await shown()).status !== 'running'
    })
    await up.next('engine_drain')
    await until(async () => (await shown()).status === 'stopping')
    await up.drop()
    await until(async () => (await shown()).status === 'stopped')
    expect(await shown()).toMatchObject({ stop_reason: 'preempted' })
    expect(await spent()).toBe(seconds * 10_000)
  })

  it('a machine without an engine is refunded after half an hour', async () => {
    world.clock.advance(30 * 60_000)
    await sweep()
    expect(await shown()).toMatchObject({ status: 'stopped', stop_reason: 'boot_timeout' })
    expect(await spent()).toBe(18_000_000)
  })

  it('a removal that the provider rejects is retried with increasing delays', async () => {
    broker.removes = false
    await world.call('owner', `POST /engines/${engine.id}/stop`)
    const deletes = () => broker.calls.filter((call) => call === `DELETE /instances/${engine.instance.id}`).length
    for (const [seconds, asked] of [
      [0, 1],
      [0, 1],
      [1, 2],
      [1, 2],
      [1, 3],
      [4, 4],
    ] as const) {
      world.clock.advance(seconds * 1000)
      await sweep()
      expect(deletes()).toBe(asked)
    }
    expect((await world.call('platform', 'DELETE /clouds/west')).code).toBe('invalid_state')
    broker.removes = true
    world.clock.advance(60_000)
    await sweep()
    expect((await shown()).instance.status).toBe('deleted')
    expect((await world.call('platform', 'DELETE /clouds/west')).status).toBe(200)
  })

  it('a cloud whose broker is gone is deleted with its machines, which are refunded', async () => {
    const stuck = (await create()(world)).data
    broker.removes = false
    await world.call('owner', `POST /engines/${stuck.id}/stop`)
    await sweep()
    world.clock.advance(10_000)
    const plain = await world.call('platform', 'DELETE /clouds/west')
    expect(plain).toMatchObject({ status: 409, code: 'invalid_state' })
    expect((await shown()).status).toBe('pending')
    expect((await world.call('platform', 'DELETE /clouds/west?abandon=true')).status).toBe(200)
    expect(await shown()).toMatchObject({
      status: 'stopped',
      stop_reason: 'cloud_deleted',
      instance: { status: 'deleted' },
    })
    expect(await spent()).toBe(10 * 10_000)
    expect(await keyWorks()).toBe(false)
    broker.calls.length = 0
    await sweep()
    expect(broker.calls).toEqual([])
  })

  it('a removed machine that reappears is removed again; machines of others stay', async () => {
    const ghost = machine()
    await world.call('owner', `POST /engines/${engine.id}/stop`)
    await sweep()
    broker.machines.set(engine.instance.id, ghost as never)
    broker.machines.set('stranger', ghost as never)
    await sweepOrphans(world.ctx())
    await sweep()
    expect([...broker.machines.keys()]).toEqual(['stranger'])
  })

  it('a workspace that may not spend can neither rent nor extend', async () => {
    await world.call('platform', 'POST /billing/status', { body: { team_id: world.team.id, status: 'spend_locked' } })
    const answer = await create()(world)
    expect([answer.status, answer.code, answer.json.meta]).toEqual([
      402,
      'payment_required',
      { status: 'spend_locked' },
    ])
    expect((await world.call('owner', `POST /engines/${engine.id}/extend`)).code).toBe('payment_required')
  })
})
