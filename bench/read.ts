// An authenticated GET of one row by API key, compared with a bare Fastify + pg server that runs the same select on the
// same database. Rounds alternate, so that other load on the machine affects both.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { signIn } from '../e2e/support/operator.ts'
import { startServer } from '../e2e/support/server.ts'
import { load, median, show } from './support/load.ts'

const server = await startServer({ env: { LOG_LEVEL: 'info', RATE_LIMIT_GET_TASK: '0', ENGINE: 'false' } })
const owner = await signIn(server.dataDir, 'bench@example.com', 'bench')
const created = await fetch(`${server.url}/apps`, {
  method: 'POST',
  headers: {
    authorization: `Bearer ${owner.session_token}`,
    'content-type': 'application/json',
    'x-team-id': owner.team_id,
  },
  body: JSON.stringify({ name: 'bench-app', description: 'A row to read', version: {} }),
})
const { data: app } = (await created.json()) as { data: { id: string } }
const key = await fetch(`${server.url}/apikeys`, {
  method: 'POST',
  headers: {
    authorization: `Bearer ${owner.session_token}`,
    'content-type': 'application/json',
    'x-team-id': owner.team_id,
  },
  body: JSON.stringify({ name: 'bench' }),
})
const { data: apiKey } = (await key.json()) as { data: { key: string } }

const bare = fork(fileURLToPath(new URL('./support/bare-read.ts', import.meta.url)), [server.dataDir])
const barePort = await new Promise<number>((resolve) => bare.once('message', (port) => resolve(Number(port))))

const headers = { authorization: `Bearer ${apiKey.key}` }
const targets = { millrace: `${server.url}/apps/${app.id}`, bare: `http://127.0.0.1:${barePort}/apps/${app.id}` }
const rates: Record<keyof typeof targets, number[]> = { millrace: [], bare: [] }
const ratios: number[] = []
try {
  for (const url of Object.values(targets)) await load({ url, headers, connections: 16, seconds: 2 })
  for (let round = 0; round < 7; round += 1) {
    const [ours, theirs] = [
      await load({ url: targets.millrace, headers, connections: 16, seconds: 1.5 }),
      await load({ url: targets.bare, headers, connections: 16, seconds: 1.5 }),
    ]
    if (ours.errors + theirs.errors > 0) throw new Error(`${ours.errors} and ${theirs.errors} requests failed`)
    rates.millrace.push(ours.requestsPerSecond)
    rates.bare.push(theirs.requestsPerSecond)
    ratios.push(ours.requestsPerSecond / theirs.requestsPerSecond)
  }
  console.log(`millrace  ${show(median(rates.millrace))} requests/s`)
  console.log(`bare      ${show(median(rates.bare))} requests/s`)
  console.log(`ratio     ${median(ratios).toFixed(2)} (aim ≥ 0.8)`)
} finally {
  bare.kill()
  await server.remove()
}
