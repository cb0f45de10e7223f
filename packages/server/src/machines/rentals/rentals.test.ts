// Guarantees: a machine is paid before it is requested and refunded exactly for its unused time; no machine runs unpaid
// and no missing machine is paid, whatever its provider does.
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { type Scenario, scenarios } from '../../testing/scenarios.ts'
import type { Answer, World } from '../../testing/world.ts'
import { register } from '../engines/testing/engine-double.ts'
import { sweepRentals } from './sweep.ts'
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

const given = (world: World) => givenFunds(world, broker)

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

/** While the workspace may spend one microcent per day. */
const underBudget = async (world: World, act: () => Promise<Answer>): Promise<Answer> => {
  const body = { subject_type: 'workspace', period: 'day', limit: 1 }
  const { data } = await world.call('owner', 'POST /budgets', { body })
  const answer = await act()
  await world.call('owner', `DELETE /budgets/${data.id}`)
  return answer
}

scenarios('engines.create', given, [
  {
    claim: 'the time is paid to the second, and the engine is pending',
    as: 'owner',
    act: async (world) => {
      const before = await balanceOf(world)
      const answer = await create()(world)
      expect(before - (await balanceOf(world))).toBe(36_000_000)
      return answer
    },
    status: 200,
    audits: ['engine.rented'],
    emits: ['engine', 'team/engines', 'team/transactions'],
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
          cost_estimate: '36000000',
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
    claim: 'spot at the spot price; a price in the request is ignored',
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
  refusal('an invalid time', create({ end_time: 'soon' }), 400, 'invalid_request'),
  refusal('half an hour', (world) => create({ end_time: endIn(world, hourMs / 2) })(world), 400, 'invalid_request'),
  refusal('31 days', (world) => create({ end_time: endIn(world, 31 * 24 * hourMs) })(world), 400, 'invalid_request'),
  refusal(
    'an invalid end is reported before an unknown machine',
    (world) => create({ end_time: endIn(world, 0) }, { region: 'mars' })(world),
    400,
    'invalid_request',
  ),
  refusal('nowhere', create({}, { region: 'mars' }), 500, 'internal_error'),
  refusal('out of stock', create({}, { region: 'w2' }), 500, 'internal_error'),
  refusal(
    'an insufficient balance',
    (world) => create({ end_time: endIn(world, 720 * hourMs) })(world),
    402,
    'payment_required',
  ),
  refusal('an exceeded budget', (world) => underBudget(world, () => create()(world)), 402, 'budget_exceeded'),
  refusal(
    'a disabled cloud',
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
    'a failed launch has no effect',
    async (world) => {
      broker.behavior = 'late'
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
    claim: 'one hour by default, at the price of the instance',
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
      expect(data.instance.cost_estimate).toBe('72000000')
    },
  },
  {
    claim: 'half an hour',
    as: 'key:engines:write',
    path,
    body: { hours: 0.5 },
    status: 200,
    audits: ['engine.extended'],
    emits: ['engine', 'team/engines', 'team/transactions'],
    check: ({ data }) => expect(data.instance.cost_estimate).toBe('54000000'),
  },
  {
    claim: 'the current end',
    as: 'owner',
    path,
    body: ({ end }: Rented) => ({ end_time: end }),
    status: 400,
    code: 'invalid_request',
  },
  { claim: 'more than 30 days', as: 'owner', path, body: { hours: 720 }, status: 400, code: 'invalid_request' },
  { claim: 'nonsense', as: 'owner', path, body: { hours: 'two' }, status: 400, code: 'invalid_request' },
  {
    claim: 'an insufficient balance',
    as: 'owner',
    path,
    body: (_engine: Rented) => ({ hours: 700 }),
    status: 402,
    code: 'payment_required',
  },
  {
    claim: 'an exceeded budget',
    as: 'owner',
    act: (world, { id }) => underBudget(world, () => world.call('owner', `POST /engines/${id}/extend`)),
    status: 402,
    code: 'budget_exceeded',
  },
  {
    claim: 'an engine without a rental',
    as: 'owner',
    act: async (world) => world.call('owner', `POST /engines/${(await register(world)).id}/extend`),
    status: 409,
    code: 'invalid_state',
  },
  {
    claim: 'an ended rental',
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
