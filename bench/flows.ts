// Two figures about flows. Finished runs per second of a flow with four utility nodes, from a webhook to the stored
// result, compared with a bare Fastify + pg server that only stores the webhook, one transaction per request; rounds
// alternate, so that other load on the machine affects both. And the duration of 40 sequential `echo` steps, each a
// durable task on the embedded engine.
import { fork } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { signIn } from '../e2e/support/operator.ts'
import { startServer } from '../e2e/support/server.ts'
import { median, show } from './support/load.ts'
import { socketLoad } from './support/socket-load.ts'

const connections = 100
const rounds = 5
const seconds = 3
const steps = 40
const sequences = 15

const server = await startServer({ env: { LOG_LEVEL: 'warn', RATE_LIMIT_RUN: '0' } })
const owner = await signIn(server.dataDir, 'bench@example.com', 'bench')

type Answer = { data: Record<string, never> & { id: string } }

const call = async (route: string, body?: object) => {
  const [method, path] = route.split(' ')
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${owner.session_token}`,
      'content-type': 'application/json',
      'x-team-id': owner.team_id,
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(await response.text())
  return ((await response.json()) as Answer).data
}

type Node = { type: string; data?: object; inputs?: Record<string, unknown> }
const from = (nodeId: string, key = '') => ({ connection: { nodeId, key, type: '' } })

const givenFlow = async (nodes: Record<string, Node>) => {
  const flow = await call('POST /flows', {})
  const entries = Object.entries(nodes)
  await call(`POST /flows/${flow.id}`, {
    nodes: entries.map(([id, { type }], index) => ({ id, type, position: { x: index * 200, y: 0 } })),
    node_data: Object.fromEntries(entries.map(([id, { data = {} }]) => [id, data])),
    input: Object.fromEntries(entries.flatMap(([id, { inputs }]) => (inputs ? [[id, inputs]] : []))),
  })
  await call(`POST /flows/${flow.id}/publish`)
  return flow
}

const utilityFlow = await givenFlow({
  in: { type: 'inputNode' },
  big: {
    type: 'gate',
    data: { gate_condition: { field: 'n', operator: 'gt', value: 3 } },
    inputs: { n: from('in', 'n') },
  },
  title: {
    type: 'utility',
    data: { utility: { expression: '"#" + string(int(input.n)) + ": " + input.title' } },
    inputs: { n: from('big', 'n'), title: from('in', 'title') },
  },
  pair: { type: 'merge', inputs: { title: from('title'), n: from('big', 'n') } },
  first: {
    type: 'selector',
    data: { utility: { preset: 'selector', selector: { field: 'labels', mode: 'first' } } },
    inputs: { labels: from('in', 'labels') },
  },
  out: { type: 'outputNode', inputs: { pair: from('pair'), label: from('first') } },
})
const trigger = await call('POST /triggers', {
  name: 'Bench',
  type: 'webhook',
  action: 'run_flow',
  flow_id: utilityFlow.id,
  source_id: 'generic',
})

/** Every accepted webhook must have a completed run with its result. */
const assertAllCompleted = async (): Promise<void> => {
  const page = await call('POST /flowruns/list', {
    limit: 1,
    fields: ['id'],
    filters: [
      { field: 'flow_id', value: utilityFlow.id },
      { field: 'status', operator: 'neq', value: 3 },
    ],
  })
  if (Number(page.total_items) > 0) throw new Error(`${page.total_items} runs did not complete`)
}

const firesOf = async (): Promise<number> => Number((await call(`GET /triggers/${trigger.id}`)).fire_count)

const bare = fork(fileURLToPath(new URL('./support/bare-hook.ts', import.meta.url)), [server.dataDir, owner.team_id])
const barePort = await new Promise<number>((resolve) => bare.once('message', (port) => resolve(Number(port))))

const body = JSON.stringify({ n: 42, title: 'A mill needs water', labels: ['bug', 'river'] })
const headers = { 'content-type': 'application/json' }
const hook = async (url: string, forSeconds: number) => {
  const sent = await socketLoad({ url, headers, body, connections, seconds: forSeconds })
  if (sent.errors > 0) throw new Error(`${sent.errors} webhooks failed`)
  return sent
}
const ourHook = `${server.url}/triggers/${trigger.id}/hook`
const bareHook = `http://127.0.0.1:${barePort}/transaction/${trigger.id}`

/** Sends webhooks for a while, then waits until the last of their runs is stored. */
const measureRuns = async (forSeconds: number): Promise<number> => {
  const before = await firesOf()
  const startedAt = performance.now()
  const sent = await hook(ourHook, forSeconds)
  while ((await firesOf()) < before + sent.requests) await sleep(10)
  return sent.requests / ((performance.now() - startedAt) / 1000)
}

const echo = await call('GET /apps/millrace/echo')
const stepsFlow = await givenFlow({
  in: { type: 'inputNode' },
  ...Object.fromEntries(
    Array.from({ length: steps }, (_, index) => [
      `s${index}`,
      {
        type: 'appNode',
        data: { app_id: echo.id },
        inputs: { n: index === 0 ? from('in', 'n') : from(`s${index - 1}`, 'n') },
      },
    ]),
  ),
  out: { type: 'outputNode', inputs: { n: from(`s${steps - 1}`, 'n') } },
})

const isDone = (line: string): boolean => {
  if (!line.startsWith('{"id"')) return false
  const { status, error } = JSON.parse(line) as { status: number; error?: string }
  if (status > 3) throw new Error(`The run ended with status ${status}: ${error}`)
  return status === 3
}

/** From the request that starts the run to its end event. */
const measureSteps = async (): Promise<number> => {
  const startedAt = performance.now()
  const run = await call('POST /flowruns', { flow: stepsFlow.id, input: { n: 7 } })
  const stream = await fetch(`${server.url}/flowruns/${run.id}/stream`, {
    headers: {
      authorization: `Bearer ${owner.session_token}`,
      'x-team-id': owner.team_id,
      accept: 'application/x-ndjson',
    },
  })
  let text = ''
  for await (const chunk of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    if (lines.some(isDone)) return (performance.now() - startedAt) / 1000
  }
  throw new Error('The stream ended before the run did')
}

const runsPerSecond: number[] = []
const barePerSecond: number[] = []
const stepSeconds: number[] = []
try {
  await measureRuns(1)
  await hook(bareHook, 1)
  for (let round = 0; round < rounds; round += 1) {
    runsPerSecond.push(await measureRuns(seconds))
    barePerSecond.push((await hook(bareHook, seconds)).requestsPerSecond)
  }
  await assertAllCompleted()
  const stored = await firesOf()
  for (let warm = 0; warm < 2; warm += 1) await measureSteps()
  for (let sequence = 0; sequence < sequences; sequence += 1) stepSeconds.push(await measureSteps())

  console.log(
    `flow of 4 utility nodes  ${show(median(runsPerSecond))} finished runs/s (aim ≥ 1,500; ${show(stored)} stored)`,
  )
  console.log(`bare webhook, one row    ${show(median(barePerSecond))} rows/s`)
  console.log(`ratio                    ${(median(runsPerSecond) / median(barePerSecond)).toFixed(2)}`)
  console.log(
    `${steps} echo steps in a row    ${median(stepSeconds).toFixed(3)} s, best ${Math.min(...stepSeconds).toFixed(3)} s (aim ≤ 0.40 s)`,
  )
} finally {
  bare.kill()
  await server.remove()
}
