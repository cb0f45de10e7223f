// A warm `echo` from POST /run to the final event of its stream, sequentially and at maximum throughput; the floor is
// the same app process called directly over its local port.
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { signIn } from '../e2e/support/operator.ts'
import { startServer } from '../e2e/support/server.ts'
import { startApp } from './support/app-process.ts'
import { load, show } from './support/load.ts'

const warmUpRuns = 300
const quietRuns = 300
const crowd = 32
const crowdSeconds = 10

const server = await startServer({ env: { RATE_LIMIT_RUN: '0', RATE_LIMIT_GET_TASK: '0', ENGINE_CPU_WORKERS: '4' } })
const owner = await signIn(server.dataDir, 'bench@example.com', 'bench')
const headers = {
  authorization: `Bearer ${owner.session_token}`,
  'x-team-id': owner.team_id,
  'content-type': 'application/json',
  accept: 'application/x-ndjson',
}
const agent = new Agent({ keepAlive: true, maxSockets: 256 })
const body = JSON.stringify({ app: 'millrace/echo', input: { hello: 'world' }, stream: true })

/** Runs the app and follows the stream; returns the final status. */
const run = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(`${server.url}/run`, { agent, method: 'POST', headers }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      response.on('end', () => {
        if (response.statusCode !== 200) return reject(new Error(text))
        const statuses = text.trim().split('\n').map(statusIn)
        resolve(statuses.findLast((status) => status !== undefined) ?? 0)
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })

const statusIn = (line: string): number | undefined => {
  const { data, status } = JSON.parse(line) as { status?: number; data?: { status?: number } }
  return data?.status ?? status
}

const timed = async (): Promise<number> => {
  const before = performance.now()
  const status = await run()
  if (status !== 10) throw new Error(`A run ended with status ${status}`)
  return performance.now() - before
}

const at = (times: readonly number[], share: number): number =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0

const app = await startApp('echo')
const floor = (connections: number, seconds: number) =>
  load({
    url: app.url,
    method: 'POST',
    headers: app.headers,
    body: JSON.stringify({ input: { hello: 'world' }, function: 'run', metadata: {} }),
    connections,
    seconds,
  })

/** The included apps are deployed and the engine registers once the first account exists. */
const untilReady = async (): Promise<void> => {
  for (let tries = 0; tries < 100; tries += 1) {
    if ((await fetch(`${server.url}/apps/millrace/echo`, { headers })).ok) return
    await sleep(100)
  }
  throw new Error('The included apps were not deployed')
}

try {
  await untilReady()
  for (let warm = 0; warm < warmUpRuns; warm += 1) await timed()
  const quiet: number[] = []
  for (let n = 0; n < quietRuns; n += 1) {
    quiet.push(await timed())
    await sleep(10)
  }
  const direct = await floor(1, 3)
  const endAt = performance.now() + crowdSeconds * 1000
  const crowded: number[] = []
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: crowd }, async () => {
      while (performance.now() < endAt) crowded.push(await timed())
    }),
  )
  const perSecond = crowded.length / ((performance.now() - startedAt) / 1000)
  const most = await floor(4, 3)
  console.log(
    `one at a time   p50 ${at(quiet, 0.5).toFixed(1)} ms (aim ≤ 8), p99 ${at(quiet, 0.99).toFixed(1)} ms (aim ≤ 25)`,
  )
  console.log(
    `floor           p50 ${direct.p50Ms.toFixed(1)} ms, p99 ${direct.p99Ms.toFixed(1)} ms: the app process alone`,
  )
  console.log(`sustained       ${show(perSecond)} runs/s, ${crowd} at a time, p99 ${at(crowded, 0.99).toFixed(0)} ms`)
  console.log(`floor           ${show(most.requestsPerSecond)} calls/s of the app process alone`)
} finally {
  agent.destroy()
  app.stop()
  await server.remove()
}
