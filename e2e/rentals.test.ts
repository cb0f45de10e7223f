// Guarantees: two machines rented from a laptop run work, and one is killed by its provider: every task ends, the
// unused rent is refunded to the second, and a restart of the server loses no machine. RENTAL_TASKS sets how many tasks
// (`npm run prove -- rentals --size large`: 100).
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { isAlive } from '../packages/server/src/platform/db/embedded/processes.ts'
import { deploy } from './sdk/deploy.ts'
import { sdk } from './sdk/load.ts'
import { type Client, createClient } from './support/client.ts'
import { millrace, signIn } from './support/operator.ts'
import { startServer } from './support/server.ts'

const tasks = Number(process.env.RENTAL_TASKS ?? 12)
/** Cents per hour: one cent per second. */
const price = 3600
const microcentsPerSecond = 1_000_000

const code = `
export class App {
  async run({ n }) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    return { squared: n * n }
  }
}
`

type Engine = {
  id: string
  status: string
  stop_reason?: string
  instance: { id: string; status: string; auto_delete: { end_time: string } }
}

const until = async (what: string, look: () => Promise<boolean>): Promise<void> => {
  for (let waited = 0; waited < 120_000; waited += 250) {
    if (await look()) return
    await sleep(250)
  }
  throw new Error(`Not within two minutes: ${what}`)
}

const ask = async <T>(client: Client, route: string, body?: object): Promise<T> => {
  const answer = await client.call(route, body)
  if (answer.status !== 200) throw new Error(`${route}: ${client.recorded.at(-1)?.text}`)
  return answer.data as T
}

const rent = (client: Client, name: string, endTime: string): Promise<Engine> =>
  ask(client, 'POST /engines', {
    name,
    end_time: endTime,
    instance_type: { cloud: 'here', region: 'desk', catalog_instance_type: 'small' },
  })

const pidOf = async (dataDir: string, { instance }: Engine): Promise<number> =>
  (JSON.parse(await readFile(join(dataDir, 'instances', instance.id, 'engine.pid'), 'utf8')) as { pid: number }).pid

it('a laptop rents two machines', { timeout: 600_000 }, async () => {
  const env = { ENGINE: 'false', CLOUD_POLL_SECONDS: '1', RATE_LIMIT_RUN: '0' }
  let server = await startServer({ env })
  const { dataDir } = server
  try {
    const owner = await signIn(dataDir, 'laptop@example.com', 'laptop')
    const connect = () => createClient(server.url, { token: owner.session_token, teamId: owner.team_id })
    let client = connect()
    await ask(client, 'PUT /clouds/here', { kind: 'local', name: 'Here' })
    const configuration = { vcpus: 2, memory_in_gb: 4 }
    const availability = [{ region: 'desk', rental_type: 'on_demand', available: true, hourly_price: price }]
    const type = { catalog_instance_type: 'small', cloud_instance_type: 'small', deployment_type: 'vm' }
    await ask(client, 'PUT /clouds/here/types', { types: [{ ...type, configuration, availability }] })
    await ask(client, 'POST /billing/grants', { team_id: owner.team_id, amount: 20_000 * microcentsPerSecond })

    const endTime = new Date(Date.now() + 2 * 3_600_000).toISOString()
    const [first, second] = [await rent(client, 'one', endTime), await rent(client, 'two', endTime)]
    const engineOf = ({ id }: Engine) => ask<Engine>(client, `GET /engines/${id}`)
    const isUp = async (engine: Engine) => (await engineOf(engine)).status === 'running'
    await until('both machines run', async () => (await isUp(first)) && (await isUp(second)))

    const sdkClient = sdk.createClient({
      baseUrl: server.url,
      getToken: () => owner.session_token,
      headers: { 'X-Team-ID': owner.team_id },
    })
    const app = await deploy(sdkClient, { name: 'square', files: { 'inference.js': code } })
    const run = (n: number) => ask(client, 'POST /run', { app: app.ref, input: { n }, infra: 'private' })
    for (let n = 0; n < tasks / 2; n += 1) await run(n)
    process.kill(await pidOf(dataDir, first), 'SIGKILL')
    for (let n = tasks / 2; n < tasks; n += 1) await run(n)
    const unfinished = { limit: 1, filters: [{ field: 'status', operator: 'lt', value: 10 }] }
    await until(
      'every task ends',
      async () => (await ask<{ total_items: number }>(client, 'POST /tasks/list', unfinished)).total_items === 0,
    )
    await until('the loss is noticed', async () => (await engineOf(first)).status === 'stopped')
    expect(await engineOf(first)).toMatchObject({ stop_reason: 'instance_lost' })

    const moved = await ask<{ items: { type: string; amount: number; created_at: string }[] }>(
      client,
      'POST /transactions/list',
      { filters: [{ field: 'reference_id', value: first.id }], sort: [{ field: 'amount', dir: 'desc' }] },
    )
    const [refund, debit] = moved.items
    expect([refund?.type, debit?.type]).toEqual(['refund', 'debit'])
    const leftMs = Date.parse(endTime) - Date.parse(refund?.created_at ?? '')
    expect(refund?.amount).toBe(Math.floor(leftMs / 1000) * microcentsPerSecond)

    await server.stop()
    server = await startServer({ env, dataDir, args: ['--port', new URL(server.url).port] })
    client = connect()
    await until('the other machine is back with the server', () => isUp(second))
    const pid = await pidOf(dataDir, second)
    await ask(client, `DELETE /engines/${second.id}`)
    await until('its process has ended', async () => !isAlive(pid))
    expect(await millrace(dataDir, 'admin', 'verify-ledger')).toMatch(/\d/)
  } finally {
    await server.remove()
  }
})
