// Guarantees: an interrupted, repeated or concurrent launch never costs money for a machine that does not run.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { verifyLedger } from '#money/billing/service.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { reserveEngine } from './service.ts'
import { sweepRentals } from './sweep.ts'
import {
  type BrokerDouble,
  balanceOf,
  create,
  givenFunds,
  grant,
  launchBody,
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

describe('a launch', () => {
  let world: World
  beforeEach(async () => {
    world = await createWorld()
    await givenFunds(world, broker)
  })
  afterEach(async () => {
    expect((await verifyLedger(world.open.platform)).ok).toBe(true)
    await world.close()
    broker.machines.clear()
  })

  it('is refunded if its server was killed', async () => {
    const actor = await memberActor(world)
    const before = await balanceOf(world)
    const { id } = await reserveEngine(world.ctx().as(actor), launchBody(world))
    expect(await balanceOf(world)).toBe(before - 36_000_000)
    await sweepRentals(world.ctx())
    expect((await world.call('owner', `GET /engines/${id}`)).status).toBe(200)
    world.clock.advance(11_000)
    await sweepRentals(world.ctx())
    expect(await balanceOf(world)).toBe(before)
    expect((await world.call('owner', `GET /engines/${id}`)).status).toBe(404)
  })

  it('with an uncertain result is removed twice', async () => {
    broker.behavior = 'late'
    await create()(world)
    await sweepRentals(world.ctx())
    expect(broker.machines.size).toBe(0)
    // The provider starts the machine after its answer.
    const id = broker.starts.at(-1) ?? ''
    broker.machines.set(id, { id, status: 'pending' } as never)
    world.clock.advance(61_000)
    await sweepRentals(world.ctx())
    expect(broker.machines.size).toBe(0)
  })

  it('of fifty machines at once costs no more than the balance', async () => {
    await grant(world, 1)
    const { data } = await world.call('owner', 'GET /billing')
    const affordable = Math.floor(data.balance / 36_000_000)
    const answers = await Promise.all(Array.from({ length: 50 }, () => create()(world)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(affordable)
    expect(answers.filter(({ code }) => code === 'payment_required')).toHaveLength(50 - affordable)
    expect(broker.machines.size).toBe(affordable)
  })

  it('with an idempotency key happens once', async () => {
    const body = launchBody(world)
    const call = () => world.call('owner', 'POST /engines', { body, headers: { 'idempotency-key': 'one' } })
    const [first, second] = [await call(), await call()]
    expect(second.data.id).toBe(first.data.id)
    expect(broker.machines.size).toBe(1)
  })

  it('that is deleted during the request to the provider is refunded and removed', async () => {
    const before = await balanceOf(world)
    let opened: () => void = () => {}
    const open = new Promise<void>((resolve) => {
      opened = resolve
    })
    let asked: () => void = () => {}
    const reached = new Promise<void>((resolve) => {
      asked = resolve
    })
    broker.before = async () => {
      asked()
      await open
    }
    const creating = create()(world)
    await reached
    const [engine] = (await world.call('owner', 'GET /engines')).data.items
    expect(engine.instance.status).toBe('creating')
    await world.call('owner', `DELETE /engines/${engine.id}`)
    opened()
    broker.before = async () => {}
    expect((await creating).status).toBe(500)
    await sweepRentals(world.ctx())
    world.clock.advance(61_000)
    await sweepRentals(world.ctx())
    expect(broker.machines.size).toBe(0)
    expect(await balanceOf(world)).toBe(before)
  })
})

const memberActor = async (world: World) => ({
  kind: 'session' as const,
  credentialId: 'x',
  userId: world.people.owner.userId,
  teamId: world.team.id,
  role: 'owner' as const,
  isPerson: true,
  personalTeam: false,
  orgId: null,
  orgAdmin: false,
  grant: { kind: 'everything' as const },
  platform: 'not_staff' as const,
  inPlatformTeam: false,
  expiresAtMs: null,
})
