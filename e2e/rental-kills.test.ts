// Guarantees: a server that is killed while it rents, extends or returns machines leaves no unpaid running machine, no
// paid but missing one, and no orphan after the next sweep. RENTAL_KILLS sets the number of kills (`npm run prove --
// rental-kills --size large`: 200).
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startProvider } from './support/broker.ts'
import { type Client, createClient } from './support/client.ts'
import { millrace, signIn } from './support/operator.ts'
import { type ServerProcess, startServer } from './support/server.ts'

const kills = Number(process.env.RENTAL_KILLS ?? 2)
/** The second removal of an uncertain launch follows a minute after the first. */
const settleLimitMs = 150_000

type Engine = { id: string; status: string; stop_reason?: string; instance?: { id: string; status: string } }
type Stage = { server: ServerProcess; client: Client }

const enginesOf = async (client: Client): Promise<Engine[]> =>
  ((await client.call('POST /engines/list', { limit: -1 })).data as { items: Engine[] }).items

const isLive = ({ status, instance }: Engine): boolean =>
  status !== 'stopped' && status !== 'stopping' && instance !== undefined && instance.status !== 'deleted'

const rent = (client: Client) =>
  client.call('POST /engines', {
    name: 'rented',
    end_time: new Date(Date.now() + 2 * 3_600_000).toISOString(),
    instance_type: { cloud: 'west', region: 'w1', catalog_instance_type: 'cpu' },
  })

/** Rents, extends or returns a random machine. */
const anAct = async (client: Client, live: readonly Engine[], random: () => number): Promise<void> => {
  const one = live[Math.floor(random() * live.length)]
  const choice = random()
  if (!one || choice < 0.4) await rent(client)
  else await client.call(choice < 0.6 ? `POST /engines/${one.id}/extend` : `DELETE /engines/${one.id}`)
}

it(`${kills} kills leave nothing unpaid, missing or orphaned`, { timeout: 300_000 + kills * 30_000 }, async () => {
  const random = Math.random
  const provider = await startProvider(random)
  const env = { ENGINE: 'false', CLOUD_POLL_SECONDS: '1' }
  const stage = {} as Stage
  const start = async (dataDir?: string, port?: string): Promise<void> => {
    const args = port === undefined ? [] : ['--port', port]
    stage.server = await startServer({ env, args, ...(dataDir === undefined ? {} : { dataDir }) })
  }
  await start()
  const { dataDir } = stage.server
  const { port } = new URL(stage.server.url)
  const owner = await signIn(dataDir, 'kills@example.com', 'kills')
  const connect = () => createClient(stage.server.url, { token: owner.session_token, teamId: owner.team_id })
  try {
    stage.client = connect()
    const availability = [{ region: 'w1', rental_type: 'on_demand', available: true, hourly_price: 100 }]
    const type = { catalog_instance_type: 'cpu', cloud_instance_type: 'cpu', deployment_type: 'vm', configuration: {} }
    await stage.client.call('PUT /clouds/west', { kind: 'http', name: 'West', url: provider.url, token: 't' })
    await stage.client.call('PUT /clouds/west/types', { types: [{ ...type, availability }] })
    await stage.client.call('POST /billing/grants', { team_id: owner.team_id, amount: 900_000_000_000 })
    // Some machines from the start, as far as the simulated provider succeeds.
    for (let count = 0; count < 4; count += 1) await rent(stage.client)
    expect(provider.started()).toBeGreaterThan(0)
    for (let kill = 0; kill < kills; kill += 1) {
      const live = (await enginesOf(stage.client)).filter(isLive)
      const acting = Promise.allSettled([anAct(stage.client, live, random), anAct(stage.client, live, random)])
      await sleep(random() * 800)
      await stage.server.kill()
      await acting
      await start(dataDir, port)
      stage.client = connect()
    }
    const agrees = async (): Promise<boolean> => {
      const engines = await enginesOf(stage.client)
      const live = engines.filter(isLive).map(({ instance }) => instance?.id)
      const isSettled = engines.every(
        ({ instance }) => instance?.status !== 'creating' && instance?.status !== 'deleting',
      )
      return isSettled && live.length === provider.running.size && live.every((id) => provider.running.has(id ?? ''))
    }
    for (let waited = 0; waited < settleLimitMs && !(await agrees()); waited += 500) await sleep(500)
    const engines = await enginesOf(stage.client)
    const live = engines.filter(isLive)
    // Only returned machines have ended; no machine was stopped or lost.
    expect(engines.map(({ stop_reason }) => stop_reason).filter(Boolean)).toEqual([])
    expect([...provider.running].sort()).toEqual(live.map(({ instance }) => instance?.id).sort())
    console.log(
      `rental kills: ${kills}, ${provider.started()} machines started, ${provider.running.size} run and are paid`,
    )
    expect(await millrace(dataDir, 'admin', 'verify-ledger')).toMatch(/\d/)
  } finally {
    await stage.server.remove()
    await provider.close()
  }
})
