// A workspace that floods the server, as its own process: runs, webhooks to a receiver that never answers, tasks that
// no engine can run, searches, lists of many rows and streams. Its parent starts and stops it.
import { Agent, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type FloodOrders = { url: string; headers: Record<string, string> }

const [, , text = '{}'] = process.argv
const { url, headers } = JSON.parse(text) as FloodOrders
/** An open-loop load: this many concurrent requests of each kind, with short pauses. */
const pauseMs = 20
const askers = { runs: 8, hooks: 4, unrunnable: 4, searches: 4, lists: 4 }
const streams = 20

const agent = new Agent({ keepAlive: true, maxSockets: 256 })
const counts: Record<string, number> = {}
let running = true

const ask = (method: string, path: string, body?: object): Promise<number> =>
  new Promise((resolve) => {
    const sent = request(`${url}${path}`, { agent, method, headers }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
      response.on('error', () => resolve(0))
    })
    sent.on('error', () => resolve(0))
    sent.end(body && JSON.stringify(body))
  })

const keepAsking = async (kind: string, work: () => Promise<number>): Promise<void> => {
  while (running) {
    const status = await work()
    const key = `${kind} ${status}`
    counts[key] = (counts[key] ?? 0) + 1
    await sleep(pauseMs)
  }
}

// Accepts connections and never answers.
const silent = createServer((socket) => socket.on('error', () => undefined))
await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
const hook = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`
const input = { hello: 'flood' }

/** Deploys an app whose requirements no engine meets, so its runs stay queued. */
const deployUnrunnable = (): Promise<number> =>
  ask('POST', '/apps', {
    name: 'too-large',
    version: {
      repository: 'https://bundles.example.com/large.zip',
      kernel: 'node-22',
      functions: { run: { input_schema: { type: 'object' } } },
      resources: { gpu: { count: 8, type: 'nvidia' } },
    },
  })

const openStream = (): void => {
  const sent = request(`${url}/stream`, { agent, method: 'GET', headers: { ...headers, accept: 'text/event-stream' } })
  sent.on('response', (response) => response.resume().on('error', () => undefined))
  sent.on('error', () => undefined)
  sent.end()
}

const kinds: Record<keyof typeof askers, () => Promise<number>> = {
  runs: () => ask('POST', '/run', { app: 'millrace/echo', input }),
  hooks: () => ask('POST', '/run', { app: 'millrace/echo', input, webhook: hook }),
  unrunnable: () => ask('POST', '/run', { app: 'flood/too-large', input }),
  searches: () => ask('POST', '/search', { query: 'an app that draws pictures of mills' }),
  lists: () => ask('POST', '/tasks/list', { limit: 200, search: { term: 'flood' } }),
}

process.once('message', async () => {
  if ((await deployUnrunnable()) !== 200) throw new Error('Deploying the app without an engine failed')
  for (let n = 0; n < streams; n += 1) openStream()
  for (const [kind, work] of Object.entries(kinds))
    for (let n = 0; n < askers[kind as keyof typeof askers]; n += 1) void keepAsking(kind, work)
  process.once('message', () => {
    running = false
    process.send?.(counts, () => process.exit(0))
  })
})
process.send?.('ready')
