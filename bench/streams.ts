// A thousand readers of one task: how long one event takes to reach all of them, and the memory per reader.
import { readFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { signIn } from '../e2e/support/operator.ts'
import { startServer } from '../e2e/support/server.ts'
import { show } from './support/load.ts'

const clients = 1_000
const rounds = 20

// Search is disabled, because loading its model would count as memory of the readers.
const server = await startServer({ env: { RATE_LIMIT_RUN: '0', RATE_LIMIT_GET_TASK: '0', SEARCH: 'false' } })
const owner = await signIn(server.dataDir, 'bench@example.com', 'bench')
const headers = {
  authorization: `Bearer ${owner.session_token}`,
  'x-team-id': owner.team_id,
  'content-type': 'application/json',
}
const agent = new Agent({ keepAlive: false, maxSockets: clients + 10 })

const residentKib = (): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1])

const post = async (path: string, body: object): Promise<{ id: string }> => {
  const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(await response.text())
  return ((await response.json()) as { data: { id: string } }).data
}

const untilReady = async (): Promise<void> => {
  for (let tries = 0; tries < 100; tries += 1) {
    if ((await fetch(`${server.url}/apps/millrace/echo`, { headers })).ok) return
    await sleep(100)
  }
  throw new Error('The included apps were not deployed')
}

/** A reader that counts events and reports each. */
const follow = (taskId: string, onEvent: () => void): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const sent = request(`${server.url}/tasks/${taskId}/stream`, { agent, headers }, (response) => {
      response.on('data', (chunk: Buffer) => {
        for (const _ of chunk.toString().matchAll(/^event: (?:update|delta)/gm)) onEvent()
      })
      resolve(response)
    })
    sent.on('error', reject)
    sent.end()
  })

try {
  await untilReady()
  const before = residentKib()
  const pause = 500
  // One delta every half second, to every reader.
  const text = Array.from({ length: rounds * 4 }, (_, n) => `word${n}`).join(' ')
  const task = await post('/run', { app: 'millrace/echo:words', input: { text, delay_ms: pause } })
  const arrivals: number[] = []
  const readers = await Promise.all(
    Array.from({ length: clients }, () => follow(task.id, () => arrivals.push(performance.now()))),
  )
  await sleep(2_000)
  const perClient = (residentKib() - before) / clients
  const spreads: number[] = []
  const perReader: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    arrivals.length = 0
    while (arrivals.length < clients) await sleep(5)
    const [first = 0] = arrivals
    spreads.push((arrivals[Math.floor(clients * 0.99) - 1] ?? 0) - first)
    perReader.push(...arrivals.slice(0, clients).map((at) => at - first))
    await sleep(pause / 2)
  }
  for (const reader of readers) reader.destroy()
  perReader.sort((a, b) => a - b)
  const p99 = perReader[Math.floor(perReader.length * 0.99)] ?? 0
  console.log(`readers   ${show(clients)} of one task, ${rounds} events to all`)
  console.log(
    `spread    p99 ${p99.toFixed(0)} ms behind the first reader (aim ≤ 100), worst round ${Math.max(...spreads).toFixed(0)} ms`,
  )
  console.log(`memory    ${perClient.toFixed(0)} KiB per reader`)
} finally {
  agent.destroy()
  await server.remove()
}
