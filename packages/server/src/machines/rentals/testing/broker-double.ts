// A broker on another machine: implements the real protocol, counts its machines and fails on request.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Answer, World } from '../../../testing/world.ts'
import { givenCloud, offer, region } from '../../instances/testing/given.ts'

export type DoubleMachine = {
  id: string
  status: string
  engine: { id: string; name: string; api_url: string; api_key: string }
  end_time: string
  interruption_at?: string
}

/** ok · refuses: answers 500 without effect · late: starts it and answers 500 · silent: starts it and never answers. */
export type BrokerBehavior = 'ok' | 'refuses' | 'late' | 'silent'

export type BrokerDouble = {
  url: string
  machines: Map<string, DoubleMachine>
  /** The ids of started machines, once per start. */
  starts: string[]
  calls: string[]
  behavior: BrokerBehavior
  /** Whether DELETE works. */
  removes: boolean
  /** Delay before a machine starts. */
  before: () => Promise<void>
  close(): Promise<void>
}

const bodyOf = async (request: IncomingMessage): Promise<DoubleMachine> => {
  let text = ''
  for await (const part of request) text += String(part)
  return JSON.parse(text)
}

export const startBroker = async (token = 'hush'): Promise<BrokerDouble> => {
  const machines: BrokerDouble['machines'] = new Map()
  const double: BrokerDouble = {
    url: '',
    machines,
    starts: [],
    calls: [],
    behavior: 'ok',
    removes: true,
    before: async () => {},
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  const put = async (id: string, machine: DoubleMachine): Promise<[number, object] | null> => {
    const { behavior } = double
    await double.before()
    if (behavior === 'refuses') return [500, {}]
    if (!machines.has(id)) {
      machines.set(id, { ...machine, status: 'pending' })
      double.starts.push(id)
    }
    if (behavior === 'silent') return null
    return behavior === 'late'
      ? [500, {}]
      : [200, { cloud_assigned_id: `vm-${id}`, status: 'pending', ip: '192.0.2.7' }]
  }
  const answer = async (request: IncomingMessage): Promise<[number, object] | null> => {
    if (request.headers.authorization !== `Bearer ${token}`) return [401, {}]
    const { method, url = '' } = request
    double.calls.push(`${method} ${url}`)
    const id = /^\/instances\/(\w+)$/.exec(url)?.[1] ?? ''
    if (url === '/instances') return [200, { instances: [...machines.keys()].map((one) => ({ id: one })) }]
    if (method === 'PUT') return put(id, await bodyOf(request))
    const machine = machines.get(id)
    if (method === 'GET') return machine ? [200, machine] : [404, {}]
    if (!double.removes) return [503, {}]
    machines.delete(id)
    return machine ? [200, {}] : [404, {}]
  }
  const server = createServer((request, reply) => {
    answer(request).then(
      (response) =>
        response &&
        reply.writeHead(response[0], { 'content-type': 'application/json' }).end(JSON.stringify(response[1])),
      () => reply.destroy(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  double.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return double
}

export const hourMs = 3_600_000
export const price = 36

/** A cloud with this broker that rents one type for 36 cents per hour: a second is 10,000 microcents. */
export const givenBroker = (world: World, broker: BrokerDouble): Promise<void> =>
  givenCloud(
    world,
    'west',
    [
      offer('cpu', [
        region('w1', price),
        region('w1', 12, { rental_type: 'spot' }),
        region('w2', 50, { available: false }),
      ]),
    ],
    { kind: 'http', name: 'West', url: broker.url, token: 'hush' },
  )

export const endIn = (world: World, ms: number): string => new Date(world.clock.now().getTime() + ms).toISOString()

export const launchBody = (world: World, rest: object = {}, type: object = {}) => ({
  name: 'rented',
  end_time: endIn(world, hourMs),
  instance_type: { cloud: 'west', region: 'w1', catalog_instance_type: 'cpu', ...type },
  ...rest,
})

export const grant = (world: World, amount: number, teamId = world.team.id) =>
  world.call('platform', 'POST /billing/grants', { body: { team_id: teamId, amount } })

export const balanceOf = async (world: World): Promise<number> =>
  (await world.call('owner', 'GET /billing')).data.balance

/** Such a cloud, and a balance to rent machines. */
export const givenFunds = async (world: World, broker: BrokerDouble): Promise<void> => {
  await givenBroker(world, broker)
  await grant(world, 1_000_000_000)
}

export const create =
  (rest: object = {}, type: object = {}) =>
  (world: World): Promise<Answer> =>
    world.call('owner', 'POST /engines', { body: launchBody(world, rest, type) })
