// Guarantees: only staff manages clouds and prices; everyone sees them, cached for an hour; an invalid offer changes
// nothing; the price history follows the catalog.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { givenCloud, offer, region } from './testing/given.ts'

const spot = { rental_type: 'spot' } as const
const given = (world: World) =>
  givenCloud(world, 'north', [
    offer('a100', [region('n1', 300), region('n1', 90, spot)]),
    offer('cpu', [region('n1', 4)], { configuration: { vcpus: 2 } }),
  ])
const path = { key: 'north' }

scenarios('instances.types', given, [
  {
    claim: 'anyone sees the machines for rent, cached for an hour',
    as: null,
    query: { gpu_type: 'A100', available: 'true' },
    status: 200,
    check: ({ data, headers }) => {
      expect(headers['cache-control']).toBe('public, max-age=3600')
      expect(data).toHaveLength(1)
      expect(data[0]).toMatchObject({
        id: 'north.a100',
        cloud: 'north',
        region: 'n1',
        hourly_price: 300,
        deployment_type: 'vm',
        configuration: { num_gpus: 1, nvlink: false, os_options: [] },
      })
    },
  },
  { claim: 'an unknown rental type', as: null, query: { rental_type: 'loan' }, status: 400, code: 'validation_error' },
])

scenarios('instances.price_history', given, [
  {
    claim: 'today’s prices follow the catalog immediately',
    as: null,
    query: { gpu_type: 'A100', days: '5000' },
    status: 200,
    check: ({ data, headers }, _given, world) => {
      expect(headers['cache-control']).toBe('public, max-age=3600')
      expect(data).toEqual([
        {
          day: world.clock.now().toISOString().slice(0, 10),
          on_demand: 300,
          spot: 90,
          on_demand_in_stock: 300,
          spot_in_stock: 90,
          providers: 1,
          regions: 1,
        },
      ])
    },
  },
  { claim: 'without a GPU type', as: null, status: 400, code: 'invalid_request' },
])

scenarios('engines.types', given, [
  {
    claim: 'lists the machines for engines',
    as: 'owner',
    status: 200,
    check: ({ data }) =>
      expect(data.map(({ id, rental_type }: { id: string; rental_type: string }) => [id, rental_type])).toEqual([
        ['north.cpu', 'on_demand'],
        ['north.a100.spot', 'spot'],
        ['north.a100', 'on_demand'],
      ]),
  },
])

scenarios('clouds.list', given, [
  {
    claim: 'staff sees them',
    as: 'platform',
    status: 200,
    check: ({ data }) => expect(data).toMatchObject([{ key: 'north', kind: 'local', url: '', enabled: true }]),
  },
  { claim: 'an owner', as: 'owner', status: 403, code: 'forbidden' },
  { claim: 'a key', as: 'key:', status: 403, code: 'requires_sign_in' },
])

const http = { kind: 'http', name: 'West', url: 'https://broker.example/', token: 'hush' }

scenarios('clouds.set', given, [
  {
    claim: 'the token is never shown',
    as: 'platform',
    path: { key: 'west' },
    body: http,
    status: 200,
    audits: ['cloud.set'],
    check: ({ data, text }) => {
      expect(data).toMatchObject({
        key: 'west',
        kind: 'http',
        name: 'West',
        url: 'https://broker.example',
        logo_url: '',
      })
      expect(text).not.toContain('hush')
    },
  },
  ...[
    ['a bad key', { key: 'No Key' }, http],
    ['an unknown kind', path, { ...http, kind: 'ftp' }],
    ['no url', path, { kind: 'http', name: 'x' }],
    ['no address', path, { ...http, url: 'broker' }],
    ['no name', path, { kind: 'local' }],
  ].map(([claim, path, body]) => ({
    claim: String(claim),
    as: 'platform' as const,
    path: path as { key: string },
    body,
    status: 400,
    code: 'validation_error',
  })),
  { claim: 'an owner', as: 'owner', path, body: http, status: 403, code: 'forbidden' },
  { claim: 'a key', as: 'key:', path, body: http, status: 403, code: 'requires_sign_in' },
])

scenarios('clouds.set_types', given, [
  {
    claim: 'replaces all settings',
    as: 'platform',
    path,
    body: { types: [offer('h100', [region('n2', 900)], { configuration: { gpu_type: 'H100', num_gpus: 8 } })] },
    status: 200,
    audits: ['cloud.types_set'],
    check: async ({ data }, _given, world) => {
      expect(data.map(({ id }: { id: string }) => id)).toEqual(['north.h100'])
      const history = async (gpu: string) =>
        (await world.call(null, 'GET /instances/types/price-history', { query: { gpu_type: gpu } })).data
      expect(await history('A100')).toEqual([])
      expect((await world.call(null, 'GET /instances/types')).data).toHaveLength(1)
    },
  },
  {
    claim: 'offers of a disabled cloud',
    as: 'platform',
    act: async (world) => {
      await world.call('platform', 'PUT /clouds/south', { body: { kind: 'local', name: 'South', enabled: false } })
      return world.call('platform', 'PUT /clouds/south/types', { body: { types: [offer('cpu', [region('s1', 5)])] } })
    },
    status: 200,
    check: async ({ data }, _given, world) => {
      expect(data.map(({ id }: { id: string }) => id)).toEqual(['south.cpu'])
      await world.call('platform', 'DELETE /clouds/south')
    },
  },
  ...[
    ['a price of zero', [offer('x', [region('r', 0)])]],
    ['a fraction of a cent', [offer('x', [region('r', 1.5)])]],
    ['a region twice', [offer('x', [region('r', 1), region('r', 2)])]],
    ['a name twice', [offer('x', []), offer('x', [])]],
    ['an unknown rental type', [{ ...offer('x', []), availability: [{ ...region('r', 1), rental_type: 'loan' }] }]],
    ['an unknown deployment type', [{ ...offer('x', []), deployment_type: 'tent' }]],
  ].map(([claim, types]) => ({
    claim: `${claim}: nothing changes`,
    as: 'platform' as const,
    path,
    body: { types },
    status: 400,
    code: 'validation_error',
    check: async (_answer: unknown, _given: unknown, world: World) =>
      expect((await world.call(null, 'GET /instances/types')).data).toHaveLength(1),
  })),
  {
    claim: 'an unknown cloud',
    as: 'platform',
    path: { key: 'mars' },
    body: { types: [] },
    status: 404,
    code: 'not_found',
  },
  { claim: 'an owner', as: 'owner', path, body: { types: [] }, status: 403, code: 'forbidden' },
  { claim: 'a key', as: 'key:', path, body: { types: [] }, status: 403, code: 'requires_sign_in' },
])

/** A broker that gives this answer to `GET /types`. */
const startBroker = async (
  answer: () => { status: number; body: unknown },
): Promise<{ url: string; tokens: string[]; server: Server }> => {
  const tokens: string[] = []
  const server = createServer((request, reply) => {
    tokens.push(request.headers.authorization ?? '')
    const { status, body } = answer()
    reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, tokens, server }
}

const said = { status: 200, body: {} as unknown }
let broker: Awaited<ReturnType<typeof startBroker>>
beforeAll(async () => {
  broker = await startBroker(() => said)
})
afterAll(() => broker.server.close())

const answering = (status: number, body: unknown) => async (world: World) => {
  Object.assign(said, { status, body })
  await givenCloud(world, 'west', [], { kind: 'http', name: 'West', url: broker.url, token: 'hush' })
  return world.call('platform', 'POST /clouds/west/refresh')
}

scenarios('clouds.refresh', given, [
  {
    claim: 'queries the broker with its token',
    as: 'platform',
    act: answering(200, { types: [offer('a100', [region('w1', 100)])] }),
    status: 200,
    check: ({ data }) => {
      expect(data.map(({ id }: { id: string }) => id)).toEqual(['west.a100'])
      expect(broker.tokens.at(-1)).toBe('Bearer hush')
    },
  },
  { claim: 'nonsense', as: 'platform', act: answering(200, { types: 5 }), status: 400, code: 'validation_error' },
  { claim: 'a failing broker', as: 'platform', act: answering(500, {}), status: 409, code: 'invalid_state' },
  { claim: 'a cloud without a broker', as: 'platform', path, status: 409, code: 'invalid_state' },
  { claim: 'an unknown cloud', as: 'platform', path: { key: 'mars' }, status: 404, code: 'not_found' },
  { claim: 'an owner', as: 'owner', path, status: 403, code: 'forbidden' },
  { claim: 'a key', as: 'key:', path, status: 403, code: 'requires_sign_in' },
])

scenarios('clouds.delete', given, [
  {
    claim: 'deletes the cloud with its offers',
    as: 'platform',
    path,
    status: 200,
    audits: ['cloud.deleted'],
    check: async (_answer, _given, world) => expect((await world.call(null, 'GET /instances/types')).data).toEqual([]),
  },
  { claim: 'an unknown cloud', as: 'platform', path: { key: 'mars' }, status: 404, code: 'not_found' },
  { claim: 'a bad key', as: 'platform', path: { key: 'No Key' }, status: 400, code: 'validation_error' },
  { claim: 'an owner', as: 'owner', path, status: 403, code: 'forbidden' },
  { claim: 'a key', as: 'key:', path, status: 403, code: 'requires_sign_in' },
])

describe('a catalog over time', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world?.close())

  it('keeps the last prices of a past day and does not list offers of a disabled cloud', async () => {
    const history = async () =>
      (await world.call(null, 'GET /instances/types/price-history', { query: { gpu_type: 'A100' } })).data.map(
        ({ on_demand }: { on_demand: number }) => on_demand,
      )
    await givenCloud(world, 'north', [offer('a100', [region('n1', 300)])])
    await givenCloud(world, 'north', [offer('a100', [region('n1', 310)])])
    world.clock.advance(2 * 24 * 3600_000)
    await givenCloud(world, 'north', [offer('a100', [region('n1', 320)])])
    expect(await history()).toEqual([310, 310, 320])
    await world.call('platform', 'PUT /clouds/north', { body: { kind: 'local', name: 'n', enabled: false } })
    expect(await history()).toEqual([310, 310])
    expect((await world.call(null, 'GET /instances/types')).data).toEqual([])
  })

  it('lists the matching machines with their hourly prices, and the reasons against the rest', async () => {
    await givenCloud(world, 'north', [offer('a100', [region('n1', 300)]), offer('big', [region('n1', 700)])])
    const match = (gpu: object) => world.call(null, 'POST /engines/resources', { body: { resources: { gpu } } })
    expect((await match({ count: 1, type: 'nvidia' })).data.cloud).toEqual({
      can_run: true,
      min_price: 300,
      max_price: 700,
    })
    const none = await match({ count: 4 })
    expect(none.data.cloud).toEqual({ can_run: false, min_price: 0, max_price: 0 })
    expect(none.json.messages).toMatchObject([{ code: 'no_fit', message: expect.stringContaining('too few GPUs') }])
    const unknown = await world.call('owner', 'POST /engines/resources', { body: { app_ids: ['nobody'] } })
    expect(unknown.data).toMatchObject({ cloud: { can_run: false }, error: expect.any(String) })
  })
})
