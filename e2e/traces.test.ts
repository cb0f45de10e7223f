// Guarantees: one run of a flow is one trace, that of its caller: request, flow run, steps, and for each step dispatch,
// engine and app, each with the right parent; apps and webhooks receive their trace context; a server that is killed
// meanwhile exports the rest of the same trace after its restart.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../packages/server/src/testing/tcp-proxy.ts'
import { deploy } from './sdk/deploy.ts'
import { sdk } from './sdk/load.ts'
import { type Client, createClient } from './support/client.ts'
import { type Collector, type Span, startCollector } from './support/collector.ts'
import { folderKeptBy } from './support/engine.ts'
import { type SignedIn, signIn } from './support/operator.ts'
import { type ServerProcess, startServer } from './support/server.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const callersSpan = '00f067aa0ba902b7'
const traceparent = `00-${traceId}-${callersSpan}-01`

// Reports its start, then waits for a file.
const code = `
import { access, writeFile } from 'node:fs/promises'
export class App {
  async run(_input, metadata) {
    const folder = process.env.MILLRACE_DATA_DIR
    await writeFile(folder + '/begun', '')
    while (!(await access(folder + '/go').then(() => true, () => false))) await new Promise((next) => setTimeout(next, 50))
    return { traceparent: process.env.TRACEPARENT, fromMetadata: metadata.traceparent }
  }
}
`

let collector: Collector
let port: number
let server: ServerProcess
let owner: SignedIn
let client: Client

const start = (dataDir?: string) =>
  startServer({
    ...(dataDir === undefined ? {} : { dataDir }),
    args: ['--port', String(port)],
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  })

beforeAll(async () => {
  collector = await startCollector()
  port = await freePort()
  server = await start()
  owner = await signIn(server.dataDir, 'ada@mill.example', 'lab')
  client = createClient(server.url, { token: owner.session_token, teamId: owner.team_id })
})
afterAll(async () => {
  await server?.remove()
  collector?.close()
})

const call = async <T>(route: string, body?: unknown, headers?: Record<string, string>): Promise<T> => {
  const { status, data } = await client.call(route, body, headers)
  if (status >= 300) throw new Error(`${route} answered ${status}: ${client.recorded.at(-1)?.text}`)
  return data as T
}

const from = (nodeId: string, key: string) => ({ connection: { nodeId, key } })

const givenFlow = async (first: string, second: string): Promise<string> => {
  const { id } = await call<{ id: string }>('POST /flows', { name: 'traced' })
  const types = { in: 'inputNode', first: 'appNode', second: 'appNode', out: 'outputNode' }
  await call(`POST /flows/${id}`, {
    nodes: Object.entries(types).map(([id, type]) => ({ id, type, position: { x: 0, y: 0 } })),
    node_data: { first: { app_id: first }, second: { app_id: second } },
    input: {
      first: {},
      second: { traceparent: from('first', 'traceparent'), fromMetadata: from('first', 'fromMetadata') },
      out: { traceparent: from('second', 'traceparent'), fromMetadata: from('second', 'fromMetadata') },
    },
  })
  await call(`POST /flows/${id}/publish`)
  return id
}

const until = async <T>(look: () => Promise<T | undefined> | T | undefined): Promise<T> => {
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    await sleep(50)
  }
}

type Ended = { status: number; output: { traceparent: string; fromMetadata: string } }

it('a run of a flow with two apps is one trace, even if the server is killed meanwhile', async () => {
  const files = { 'inference.js': code }
  const guest = sdk.createClient({
    baseUrl: server.url,
    getToken: () => owner.session_token,
    headers: { 'X-Team-ID': owner.team_id },
  })
  const app = await deploy(guest, { name: 'tracer', files })
  const echo = await call<{ id: string }>('GET /apps/millrace/echo')
  const flow = await givenFlow(app.id, echo.id)
  const webhook = `${collector.url}/hook`
  const run = await call<{ id: string }>('POST /flowruns', { flow, input: {}, webhook }, { traceparent })

  const folder = folderKeptBy(app, { dataDir: server.dataDir, teamId: owner.team_id })
  await until(() => readFile(join(folder, 'begun')).catch(() => undefined))
  await server.kill()
  server = await start(server.dataDir)
  await writeFile(join(folder, 'go'), '')
  const ended = await until(async () => {
    const found = await call<Ended>(`GET /flowruns/${run.id}`)
    return found.status > 2 ? found : undefined
  })
  const [hook] = await until(() => (collector.hooks.length > 0 ? collector.hooks : undefined))
  await server.stop()

  const spans = collector.spans().filter((span) => span.traceId === traceId)
  const one = (name: string, parent: string | undefined): Span => {
    const [span, ...others] = spans.filter((span) => span.name === name && span.parentSpanId === parent)
    expect([span?.name, others], `${name} under ${parent}`).toEqual([name, []])
    return span as Span
  }
  const flowRun = spans.find(({ name }) => name === 'flow run')
  const steps = spans.filter(({ name }) => name === 'flow step')
  expect(steps.map(({ parentSpanId }) => parentSpanId)).toEqual([flowRun?.spanId, flowRun?.spanId])
  const apps = steps.map(({ spanId }) => {
    one('dispatch', spanId)
    const engine = one('engine', spanId)
    const app = one('app', engine.spanId)
    expect(BigInt(app.startTimeUnixNano) >= BigInt(engine.startTimeUnixNano)).toBe(true)
    expect(BigInt(app.endTimeUnixNano) <= BigInt(engine.endTimeUnixNano)).toBe(true)
    return app
  })
  // The request was answered before the kill, but its span may not be exported; its id is known anyway.
  const request = spans.find(({ name }) => name === 'POST /flowruns')
  if (request) expect([request.parentSpanId, flowRun?.parentSpanId]).toEqual([callersSpan, request.spanId])
  expect(flowRun?.parentSpanId).toMatch(/^[0-9a-f]{16}$/)
  const firstTraceparent = `00-${traceId}-${apps[0]?.spanId}-01`
  expect(ended).toMatchObject({ status: 3, output: { traceparent: firstTraceparent, fromMetadata: firstTraceparent } })
  expect(hook?.traceparent).toBe(`00-${traceId}-${flowRun?.spanId}-01`)
})

it('a request is the child of its caller, or starts a trace', async () => {
  server = await start(server.dataDir)
  await fetch(`${server.url}/scopes`, { headers: { traceparent } })
  await fetch(`${server.url}/healthz`)
  await fetch(`${server.url}/scopes/none`, { headers: { traceparent: `00-${traceId}-${callersSpan}-00` } })
  await server.stop()
  const named = (name: string) => collector.spans().filter((span) => span.name === name)
  expect(named('GET /scopes')).toMatchObject([{ traceId, parentSpanId: callersSpan }])
  const [begun] = named('GET /healthz')
  expect(begun?.traceId).toMatch(/^[0-9a-f]{32}$/)
  expect(begun?.traceId).not.toBe(traceId)
  expect(begun?.parentSpanId ?? '').toBe('')
  // Not sampled by its caller, so not exported.
  expect(collector.spans().some(({ name }) => name.endsWith('unmatched'))).toBe(false)
})
