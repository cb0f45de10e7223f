// Accepted webhooks per second over 250 connections, each durable before it is answered, compared with a bare Fastify +
// pg server that writes the same row in a transaction per request. Millrace also checks the signature and the delivery
// id, and starts a run for each. Rounds alternate, so that other load on the machine affects all.
import { fork } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { signIn } from '../e2e/support/operator.ts'
import { startServer } from '../e2e/support/server.ts'
import { cpuMs } from './support/cpu.ts'
import { type Load, median, show } from './support/load.ts'
import { socketLoad } from './support/socket-load.ts'

const connections = 250
/**
 * Many short rounds, because the machine's speed changes within seconds and both halves of a ratio must be measured
 * close together.
 */
const rounds = 21
const seconds = 1
/** Code is compiled on use: measuring starts after this many requests. */
const warmUp = { requests: 40_000, seconds: 20 }

const server = await startServer({ env: { ENGINE: 'false', RATE_LIMIT_RUN: '0' } })
const owner = await signIn(server.dataDir, 'bench@example.com', 'bench')

const call = async (method: string, path: string, body?: object): Promise<Record<string, string>> => {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${owner.session_token}`,
      'content-type': 'application/json',
      'x-team-id': owner.team_id,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(await response.text())
  return ((await response.json()) as { data: Record<string, string> }).data
}

const secret = 'bench-secret'
await call('POST', '/secrets', { key: 'HOOK_SECRET', value: secret })
const app = await call('POST', '/apps', {
  name: 'bench-app',
  version: { repository: 'https://bundles.example.com/bench.zip', functions: { run: {} } },
})
const trigger = await call('POST', '/triggers', {
  name: 'Bench',
  type: 'webhook',
  action: 'run_app',
  app_id: app.id,
  source_id: 'signed',
  config: { secret_ref: 'HOOK_SECRET' },
})

const bare = fork(fileURLToPath(new URL('./support/bare-hook.ts', import.meta.url)), [server.dataDir, owner.team_id])
const barePort = await new Promise<number>((resolve) => bare.once('message', (port) => resolve(Number(port))))

const body = JSON.stringify({
  action: 'opened',
  issue: { number: 42, title: 'A mill needs water', labels: ['bug', 'river'], user: { login: 'miller' } },
  repository: { full_name: 'mill/race', private: false, default_branch: 'main' },
  sender: { login: 'miller', id: 7 },
})
const headers = {
  'content-type': 'application/json',
  'x-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
}
// Millrace is last in a round, so that its remaining runs do not affect the other targets.
const targets = {
  statement: `http://127.0.0.1:${barePort}/statement/${trigger.id}`,
  transaction: `http://127.0.0.1:${barePort}/transaction/${trigger.id}`,
  millrace: `${server.url}/triggers/${trigger.id}/hook`,
}
type Name = keyof typeof targets
const names = Object.keys(targets) as Name[]
type Measured = Load & { cpuUs: number }
const loads: Record<Name, Measured[]> = { millrace: [], transaction: [], statement: [] }
let accepted = 0
let drainSeconds = 0

/** Waits until every accepted webhook has its run, so that leftover work does not count against the others. */
const drain = async (): Promise<void> => {
  const begunMs = performance.now()
  while (Number((await call('GET', `/triggers/${trigger.id}`)).fire_count) < accepted) await sleep(20)
  drainSeconds += (performance.now() - begunMs) / 1000
}

/** Processor time of the measured program and the database, which is a child of this process. */
const spentMs = async (): Promise<number> => ((await cpuMs(server.pid)) ?? 0) + ((await cpuMs(bare.pid ?? 0)) ?? 0)

const measure = async (name: Name, forSeconds: number): Promise<Measured> => {
  const before = await spentMs()
  const load = await socketLoad({ url: targets[name], headers, body, connections, seconds: forSeconds })
  const cpuUs = (((await spentMs()) - before) * 1000) / load.requests
  if (load.errors > 0) throw new Error(`${load.errors} requests to ${name} failed`)
  if (name === 'millrace') {
    accepted += load.requests
    await drain()
  }
  return { ...load, cpuUs }
}

try {
  for (const name of names) {
    let warmed = 0
    for (let second = 0; second < warmUp.seconds && warmed < warmUp.requests; second += 1)
      warmed += (await measure(name, 1)).requests
  }
  drainSeconds = 0
  const before = accepted
  for (let round = 0; round < rounds; round += 1)
    for (const name of names) loads[name].push(await measure(name, seconds))
  const runsPerSecond = (accepted - before) / (rounds * seconds + drainSeconds)
  const rate = (name: Name) => median(loads[name].map((load) => load.requestsPerSecond))
  const p99 = (name: Name) => median(loads[name].map((load) => load.p99Ms))
  const cpu = (name: Name) => median(loads[name].map((load) => load.cpuUs))
  const line = (title: string, name: Name) =>
    console.log(
      `${title.padEnd(22)} ${show(rate(name)).padStart(6)} webhooks/s, p99 ${show(p99(name))} ms, ` +
        `${show(cpu(name))} µs of processor time each`,
    )
  const ratio = (floor: Name) =>
    median(loads.millrace.map((load, round) => load.requestsPerSecond / (loads[floor][round]?.requestsPerSecond ?? 1)))
  console.log(`${connections} connections`)
  line('millrace', 'millrace')
  line('bare, transaction', 'transaction')
  line('bare, one statement', 'statement')
  console.log(`ratio ${ratio('transaction').toFixed(2)} (aim ≥ 2); to one statement ${ratio('statement').toFixed(2)}`)
  console.log(`accepted and run       ${show(runsPerSecond).padStart(6)} webhooks/s`)
} finally {
  bare.kill()
  await server.remove()
}
