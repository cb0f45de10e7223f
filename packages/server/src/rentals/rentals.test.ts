// Guards: a machine is paid before it is asked for, given back exactly when it is not used, and neither runs unpaid nor is
// paid for and missing, whatever its provider does.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { verifyLedger } from '../billing/service.ts'
import { register, startEngine, until } from '../engines/testing/engine-double.ts'
import { type Scenario, scenarios } from '../testing/scenarios.ts'
import { type Answer, createWorld, type World } from '../testing/world.ts'
import { reserveEngine } from './service.ts'
import { sweepOrphans, sweepRentals } from './sweep.ts'
import {
  type BrokerDouble,
  balanceOf,
  endIn,
  givenBroker,
  grant,
  hourMs,
  launchBody,
  startBroker,
} from './testing/broker-double.ts'

let broker: BrokerDouble
beforeAll(async () => {
  broker = await startBroker()
})
afterAll(() => broker.close())
beforeEach(() => {
  Object.assign(broker, { mood: 'ok', removes: true })
})

const given = async (world: World) => {
  await givenBroker(world, broker)
  await grant(world, 1_000_000_000)
}

const create =
  (rest: object = {}, type: object = {}) =>
  (world: World): Promise<Answer> =>
    world.call('owner', 'POST /engines', { body: launchBody(world, rest, type) })

const refusal = (claim: string, act: Scenario<void>['act'], status: number, code: string): Scenario<void> => ({
  claim,
  as: 'owner',
  act: async (world, given) => {
    const before = await balanceOf(world)
    const answer = await act?.(world, given)
    expect(await balanceOf(world)).toBe(before)
    if (!answer) throw new Error('no call')
    return answer
  },
  status,
  code,
})

scenarios('engines.create', given, [
  {
    claim: 'the span is paid to the second, and the engine waits for its machine',
    as: 'owner',
    act: async (world) => {
      const before = await balanceOf(world)
      const answer = await create()(world)
      expect(before - (await balanceOf(world))).toBe(36_000_000)
      return answer
    },
    status: 200,
    audits: ['engine.rented'],
    emits: [/^team:/, /^engine:/],
    check: async ({ data }, _given, world) => {
      expect(data).toMatchObject({
        name: 'rented',
        status: 'pending',
        team_id: world.team.id,
        instance: {
          cloud: 'west',
          region: 'w1',
          catalog_instance_type: 'cpu',
          cloud_instance_type: 'sku-cpu',
          cloud_assigned_id: expect.stringMatching(/^vm-/),
          ip: '192.0.2.7',
          status: 'pending',
          rental_type: 'on_demand',
          hourly_price: 36,
          cost_estimate: 36_000_000,
        },
      })
      const machine = broker.machines.get(data.instance.id)
      expect(machine).toMatchObject({ region: 'w1', rental_type: 'on_demand', engine: { id: data.id, name: 'rented' } })
      expect(machine).not.toHaveProperty('configuration')
      const { data: transactions } = await world.call('owner', 'POST /transactions/list', {
        body: { filters: [{ field: 'reference_id', value: data.id }] },
      })
      expect(transactions.items).toMatchObject([{ type: 'debit', amount: -36_000_000, reference: 'engine' }])
    },
  },
  {
    claim: 'spot, at the spot price; a price in the request is ignored',
    as: 'owner',
    act: create({}, { rental_type: 'spot', hourly_price: 1 }),
    status: 200,
    check: ({ data }) => expect(data.instance).toMatchObject({ rental_type: 'spot', hourly_price: 12 }),
  },
  refusal('no name', create({ name: undefined }), 400, 'invalid_request'),
  refusal('a name that is a number', create({ name: 5 }), 400, 'invalid_request'),
  refusal('no machine', create({ instance_type: undefined }), 400, 'invalid_request'),
  refusal('no region', create({}, { region: undefined }), 400, 'invalid_request'),
  refusal('an unknown rental type', create({}, { rental_type: 'loan' }), 400, 'invalid_request'),
  refusal('no time at all', create({ end_time: 'soon' }), 400, 'invalid_request'),
  refusal('half an hour', (world) => create({ end_time: endIn(world, hourMs / 2) })(world), 400, 'invalid_request'),
  refusal('31 days', (world) => create({ end_time: endIn(world, 31 * 24 * hourMs) })(world), 400, 'invalid_request'),
  refusal(
    'a bad end comes before a bad quote',
    (world) => create({ end_time: endIn(world, 0) }, { region: 'mars' })(world),
    400,
    'invalid_request',
  ),
  refusal('nowhere', create({}, { region: 'mars' }), 500, 'internal_error'),
  refusal('out of stock', create({}, { region: 'w2' }), 500, 'internal_error'),
  refusal('want of money', (world) => create({ end_time: endIn(world, 720 * hourMs) })(world), 402, 'payment_required'),
  refusal(
    'a cloud that is switched off',
    async (world) => {
      const set = (enabled: boolean) =>
        world.call('platform', 'PUT /clouds/west', { body: { kind: 'http', name: 'West', url: broker.url, enabled } })
      await set(false)
      const answer = await create()(world)
      await set(true)
      return answer
    },
    500,
    'internal_error',
  ),
  refusal(
    'a launch that fails leaves nothing behind',
    async (world) => {
      broker.mood = 'late'
      const answer = await create()(world)
      expect(answer.text).not.toMatch(/broker/)
      expect(
        (
          await world.call('owner', 'POST /engines/list', {
            body: { filters: [{ field: 'status', value: 'stopped' }] },
          })
        ).data.items,
      ).toEqual([])
      await sweepRentals(world.ctx())
      expect([...broker.machines.values()].filter(({ engine }) => engine.name === 'unlucky')).toEqual([])
      return answer
    },
    500,
    'internal_error',
  ),
  { claim: 'no credential', as: null, body: {}, status: 401, code: 'unauthorized' },
  { claim: 'a key without the scope', as: 'key:engines:read', body: {}, status: 403, code: 'insufficient_scope' },
])

type Rented = { id: string; end: string }
const rented = async (world: World): Promise<Rented> => {
  await given(world)
  const { data } = await create()(world)
  return { id: data.id, end: data.instance.auto_delete.end_time }
}
const path = ({ id }: Rented) => ({ id })

scenarios('engines.extend', rented, [
  {
    claim: 'an hour more when nothing is said, at the price of the instance',
    as: 'owner',
    act: async (world, engine) => {
      await world.call('platform', 'PUT /clouds/west/types', { body: { types: [] } })
      const before = await balanceOf(world)
      const answer = await world.call('owner', `POST /engines/${engine.id}/extend`)
      expect(before - (await balanceOf(world))).toBe(36_000_000)
      return answer
    },
    status: 200,
    audits: ['engine.extended'],
    check: ({ data }, { end }) => {
      expect(Date.parse(data.instance.auto_delete.end_time) - Date.parse(end)).toBe(hourMs)
      expect(data.instance.cost_estimate).toBe(72_000_000)
    },
  },
  {
    claim: 'half an hour',
    as: 'key:engines:write',
    path,
    body: { hours: 0.5 },
    status: 200,
    check: ({ data }) => expect(data.instance.cost_estimate).toBe(54_000_000),
  },
  {
    claim: 'the present end',
    as: 'owner',
    path,
    body: ({ end }: Rented) => ({ end_time: end }),
    status: 400,
    code: 'invalid_request',
  },
  { claim: 'more than 30 days', as: 'owner', path, body: { hours: 720 }, status: 400, code: 'invalid_request' },
  { claim: 'nonsense', as: 'owner', path, body: { hours: 'two' }, status: 400, code: 'invalid_request' },
  {
    claim: 'want of money',
    as: 'owner',
    path,
    body: (_engine: Rented) => ({ hours: 700 }),
    status: 402,
    code: 'payment_required',
  },
  {
    claim: 'an engine of one’s own',
    as: 'owner',
    act: async (world) => world.call('owner', `POST /engines/${(await register(world)).id}/extend`),
    status: 409,
    code: 'invalid_state',
  },
  {
    claim: 'a rental that has ended',
    as: 'owner',
    act: async (world, { id }) => {
      await world.call('owner', `POST /engines/${id}/stop`)
      return world.call('owner', `POST /engines/${id}/extend`)
    },
    status: 409,
    code: 'invalid_state',
  },
  { claim: 'not there', as: 'owner', path: { id: '00000000000000000000000000' }, status: 404, code: 'not_found' },
  { claim: 'another workspace', as: 'stranger', path, status: 404, code: 'not_found' },
  { claim: 'no credential', as: null, path, status: 401, code: 'unauthorized' },
  { claim: 'a key without the scope', as: 'key:engines:read', path, status: 403, code: 'insufficient_scope' },
])

scenarios('engines.transfer', rented, [
  {
    claim: 'a rental stays with the workspace that pays for it',
    as: 'owner',
    path,
    body: { team_id: 'x' },
    status: 409,
    code: 'invalid_state',
  },
])

const west = { key: 'west' }

scenarios('clouds.delete', rented, [
  { claim: 'a cloud with machines', as: 'platform', path: west, status: 409, code: 'invalid_state' },
])

scenarios('clouds.set', rented, [
  {
    claim: 'another kind, while it has machines',
    as: 'platform',
    path: west,
    body: { kind: 'local', name: 'x' },
    status: 409,
    code: 'invalid_state',
  },
])

describe('the end of a rental', () => {
  let world: World
  let engine: Answer['data']
  let before: number
  beforeEach(async () => {
    world = await createWorld()
    await given(world)
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
  ])('%s gives back every whole second once, revokes the key and takes the machine away', async (_what, end) => {
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

  it('the machine’s own engine comes up with the key it was given, and runs for the workspace', async () => {
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

  it('at its end it is stopped, taken away and leaves the list; nothing goes back', async () => {
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

  it('a provider that does not say keeps the machine alive', async () => {
    const lost = machine()
    if (lost) broker.machines.set(engine.instance.id, { ...lost, status: 'melting' })
    world.clock.advance(20_000)
    await sweep()
    expect((await shown()).status).toBe('pending')
  })

  it('a notice of interruption drains the engine, and the empty engine is preempted', async () => {
    const as = { token: machine()?.engine.api_key ?? '' }
    const up = await startEngine(world, { id: engine.id, as })
    Object.assign(machine() ?? {}, { interruption_at: endIn(world, 60_000) })
    world.clock.advance(20_000)
    await sweep()
    await up.next('engine_drain')
    await until(async () => (await shown()).status === 'stopping')
    await up.drop()
    await until(async () => (await shown()).status === 'stopped')
    expect(await shown()).toMatchObject({ stop_reason: 'preempted' })
    expect(await spent()).toBe(200_000)
  })

  it('a machine on which nothing comes up is given back after half an hour', async () => {
    world.clock.advance(30 * 60_000)
    await sweep()
    expect(await shown()).toMatchObject({ status: 'stopped', stop_reason: 'boot_timeout' })
    expect(await spent()).toBe(18_000_000)
  })

  it('a provider that will not let go is asked again and again, later each time', async () => {
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

  it('a machine that comes back from the dead is taken away again; a stranger’s is left alone', async () => {
    const ghost = machine()
    await world.call('owner', `POST /engines/${engine.id}/stop`)
    await sweep()
    broker.machines.set(engine.instance.id, ghost as never)
    broker.machines.set('stranger', ghost as never)
    await sweepOrphans(world.ctx())
    await sweep()
    expect([...broker.machines.keys()]).toEqual(['stranger'])
  })

  it('a workspace that may not spend rents and extends nothing', async () => {
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

describe('a launch', () => {
  let world: World
  beforeEach(async () => {
    world = await createWorld()
    await given(world)
  })
  afterEach(async () => {
    expect((await verifyLedger(world.open.platform)).ok).toBe(true)
    await world.close()
    broker.machines.clear()
  })

  it('that its server did not survive is taken back with its money', async () => {
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

  it('that may have come to be all the same is taken away twice', async () => {
    broker.mood = 'late'
    await create()(world)
    await sweepRentals(world.ctx())
    expect(broker.machines.size).toBe(0)
    // The provider was slower than its own answer.
    const id = broker.starts.at(-1) ?? ''
    broker.machines.set(id, { id, status: 'pending' } as never)
    world.clock.advance(61_000)
    await sweepRentals(world.ctx())
    expect(broker.machines.size).toBe(0)
  })

  it('of fifty at once takes no more than there is', async () => {
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

  it('that is deleted while the provider is asked is paid back and taken away', async () => {
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
