// Guarantees: a server that is killed while priced runs are accepted, executed and settled charges each completed run
// once, releases every reservation, and has a consistent ledger. PAID_KILLS sets the number of kills (`npm run prove --
// paid-kills --size large`: 20).
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { deploy } from './sdk/deploy.ts'
import { sdk } from './sdk/load.ts'
import { type Client, createClient } from './support/client.ts'
import { millrace, signIn } from './support/operator.ts'
import { type ServerProcess, startServer } from './support/server.ts'

const kills = Number(process.env.PAID_KILLS ?? 2)
const callers = 4
/** A run charges less than it reserves, so that part of each reservation is released. */
const [price, setAside] = [7, 10]
const granted = 1_000_000
const settleLimitMs = 120_000

const completed = 10
const lastStatus = new Set([10, 11, 12])

const code = `
export class App {
  async run({ fails }) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    if (fails) throw new Error('requested failure')
    return { output_meta: { cost: ${price} } }
  }
}
`

type Task = { id: string; status: number }
type Stage = { server: ServerProcess; client: Client }

const tasksOf = async (client: Client): Promise<Task[]> =>
  ((await client.call('POST /tasks/list', { limit: -1 })).data as { items: Task[] }).items

/** Starts runs until stopped; every fifth fails. Unanswered ones may have been accepted, which the list shows. */
const keepRunning = async (stage: Stage, app: string, stopped: () => boolean): Promise<void> => {
  for (let count = 0; !stopped(); count += 1)
    await stage.client.call('POST /run', { app, input: { fails: count % 5 === 4 } }).catch(() => sleep(50))
}

it(`${kills} kills during paid runs leave a correct balance`, {
  timeout: 300_000 + kills * 30_000,
}, async () => {
  const stage = {} as Stage
  const start = (dataDir?: string, port?: string) =>
    startServer({
      env: { RATE_LIMIT_RUN: '0', RATE_LIMIT_GET_TASK: '0' },
      args: port === undefined ? [] : ['--port', port],
      ...(dataDir === undefined ? {} : { dataDir }),
    })
  stage.server = await start()
  const { dataDir, url } = stage.server
  const owner = await signIn(dataDir, 'paid@example.com', 'paid')
  stage.client = createClient(url, { token: owner.session_token, teamId: owner.team_id })
  try {
    const publisher = sdk.createClient({
      baseUrl: url,
      getToken: () => owner.session_token,
      headers: { 'X-Team-ID': owner.team_id },
    })
    const app = await deploy(publisher, { name: 'paid', files: { 'inference.js': code } })
    await stage.client.call(`PUT /store/apps/${app.id}/pricing`, {
      inference_expression: 'output_meta.cost',
      estimate: String(setAside),
    })
    await stage.client.call('POST /billing/grants', { team_id: owner.team_id, amount: granted })
    let isOver = false
    const load = Array.from({ length: callers }, () => keepRunning(stage, app.ref, () => isOver))
    for (let kill = 0; kill < kills; kill += 1) {
      await sleep(300 + Math.random() * 1_500)
      await stage.server.kill()
      stage.server = await start(dataDir, new URL(url).port)
    }
    isOver = true
    await Promise.all(load)
    const isSettled = async () => (await tasksOf(stage.client)).every(({ status }) => lastStatus.has(status))
    for (let waited = 0; waited < settleLimitMs && !(await isSettled()); waited += 500) await sleep(500)

    const tasks = await tasksOf(stage.client)
    const paid = tasks.filter(({ status }) => status === completed).length
    console.log(`paid kills: ${kills}, ${tasks.length} runs accepted, ${paid} completed`)
    expect(paid).toBeGreaterThan(0)
    expect(tasks.filter(({ status }) => !lastStatus.has(status))).toEqual([])
    const { data: billing } = await stage.client.call('GET /billing')
    expect((billing as { balance: number }).balance).toBe(granted - price * paid)
    const { data: usage } = await stage.client.call('GET /usage')
    expect(usage).toMatchObject({
      total: price * paid,
      by_app: [{ app_id: app.id, tasks: paid, microcents: price * paid }],
    })
    expect(await millrace(dataDir, 'admin', 'verify-ledger')).toMatch(/\d/)
  } finally {
    await stage.server.remove()
  }
})
