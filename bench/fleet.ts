// Measures processor time per unit of work (requests, webhooks, runs, stream events) with one, two and three servers on
// one PostgreSQL, compared with three servers on separate databases. Clients and engines grow with the servers. Also
// measures what a unit leaves behind: rows, WAL bytes, bytes of bus events. All sizes are measured in alternating
// rounds, so that changes in the machine's speed affect all; the median counts. Idle processor time is subtracted.
// FLEET_ROUNDS sets the number of rounds and FLEET_SECONDS the length of each, multiplied by the servers; FLEET_WRITE=1
// writes the figures and conclusions to docs/scale.json and docs/scale.md.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Fleet, startFleet } from '../e2e/support/fleet.ts'
import { createUndo, type Undo } from '../packages/server/src/platform/core/undo.ts'
import { startPostgres } from '../packages/server/src/platform/db/embedded/postgres.ts'
import { type Cost, type Costs, costText, type Measured, scaleText, withResult } from '../scripts/scale.ts'
import { cpuMs } from './support/cpu.ts'
import { load, median } from './support/load.ts'
import { socketLoad } from './support/socket-load.ts'

const seconds = Number(process.env.FLEET_SECONDS ?? 1)
const rounds = Number(process.env.FLEET_ROUNDS ?? 6)
/** `apart`: three servers with separate databases. */
const sizes = ['1', '2', '3', 'apart'] as const
type Size = (typeof sizes)[number]
/** Per server. */
const connections = 12
/** Per server. */
const readers = 40
const words = 60

type Stage = { fleet: Fleet; client: pg.Client; postgresPid: number }
type Work = (stage: Stage, forSeconds: number) => Promise<number>

/** Resources used so far by all servers and the database. */
const used = async ({ fleet, client, postgresPid }: Stage): Promise<Cost> => {
  const servers = await Promise.all(fleet.members.map(({ server }) => cpuMs(server.pid)))
  const { rows } = await client.query<{ rows: string; wal: string }>(
    `select tup_inserted + tup_updated + tup_deleted as rows, pg_current_wal_lsn() - '0/0'::pg_lsn as wal
     from pg_stat_database where datname = current_database()`,
  )
  return {
    serverUs: servers.reduce<number>((sum, ms) => sum + (ms ?? 0), 0) * 1000,
    databaseUs: ((await cpuMs(postgresPid)) ?? 0) * 1000,
    rows: Number(rows[0]?.rows),
    walBytes: Number(rows[0]?.wal),
    busBytes: fleet.members.reduce((sum, { cable }) => sum + (cable?.passedBytes() ?? 0), 0),
  }
}

const call = async ({ balancer, headers }: Fleet, route: string, body?: object): Promise<Record<string, string>> => {
  const [method, path] = route.split(' ')
  const answer = await fetch(`${balancer.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  if (!answer.ok) throw new Error(`${route}: ${await answer.text()}`)
  return ((await answer.json()) as { data: Record<string, string> }).data
}

const requests: Work = async ({ fleet }, forSeconds) => {
  const loads = await Promise.all(
    fleet.members.map(({ url }) =>
      load({ url: `${url}/me`, headers: fleet.headers, connections, seconds: forSeconds }),
    ),
  )
  if (loads.some(({ errors }) => errors > 0)) throw new Error('A request failed')
  return loads.reduce((sum, one) => sum + one.requests, 0)
}

/** Each is durable when it is answered, and has started a run by the end of the round. */
const webhooks: Work = async ({ fleet }, forSeconds) => {
  const trigger = await call(fleet, 'POST /triggers', {
    name: `Bench ${Date.now()}`,
    type: 'webhook',
    action: 'run_app',
    app_id: (await unrunnable(fleet)).id,
  })
  const loads = await Promise.all(
    fleet.members.map(({ url }) =>
      socketLoad({
        url: `${url}/triggers/${trigger.id}/hook`,
        headers: { 'content-type': 'application/json' },
        body: '{"action":"opened","issue":{"number":42,"title":"A mill needs water"}}',
        connections,
        seconds: forSeconds,
      }),
    ),
  )
  const accepted = loads.reduce((sum, one) => sum + one.requests, 0)
  while (Number((await call(fleet, `GET /triggers/${trigger.id}`)).fire_count) < accepted) await sleep(20)
  return accepted
}

/** No engine matches, so its runs stay queued and only the webhook is measured. */
const unrunnable = (fleet: Fleet) =>
  call(fleet, 'POST /apps', {
    name: `bench-${Date.now()}`,
    version: {
      repository: 'https://bundles.example.com/bench.zip',
      functions: { run: {} },
      resources: { gpu: { count: 1, vram: 1 } },
    },
  })

const agent = new Agent({ keepAlive: true, maxSockets: 1_000 })

/** Sends a request and reads the reply to its end; `onText` receives it in pieces. */
const exchange = (url: string, fleet: Fleet, body: object | null, onText = (_text: string) => {}): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { ...fleet.headers, accept: 'application/x-ndjson' }
    const sent = request(url, { agent, method: body ? 'POST' : 'GET', headers }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`${url} answered ${response.statusCode}`))
      response.setEncoding('utf8').on('data', onText).on('end', resolve).on('error', reject)
    })
    sent.on('error', reject).end(body ? JSON.stringify(body) : undefined)
  })

/** Runs on the servers' engines, one per server. */
const echo = { app: 'millrace/echo', infra: 'cloud', input: { hello: 'world' }, stream: true }

const runs: Work = async ({ fleet }, forSeconds) => {
  const endAt = performance.now() + forSeconds * 1000
  let done = 0
  const keepRunning = async (url: string): Promise<void> => {
    for (; performance.now() < endAt; done += 1) await exchange(`${url}/run`, fleet, echo)
  }
  await Promise.all(fleet.members.flatMap(({ url }) => Array.from({ length: connections }, () => keepRunning(url))))
  return done
}

/** The output of one run, streamed to many readers on all servers; a unit is one event received by one reader. */
const streams: Work = async ({ fleet }) => {
  const input = { text: Array.from({ length: words }, (_, n) => `word${n}`).join(' '), delay_ms: 40 }
  const task = await call(fleet, 'POST /run', { app: 'millrace/echo', function: 'words', infra: 'private', input })
  let events = 0
  await Promise.all(
    fleet.members.flatMap(({ url }) =>
      Array.from({ length: readers }, () =>
        exchange(`${url}/tasks/${task.id}/stream`, fleet, null, (text) => {
          events += text.split('\n').length - 1
        }),
      ),
    ),
  )
  return events
}

const works: Record<keyof Costs, Work> = { requests, webhooks, runs, streams }
const names = Object.keys(works) as (keyof Costs)[]

const per = (before: Cost, after: Cost, by: number): Cost => ({
  serverUs: (after.serverUs - before.serverUs) / by,
  databaseUs: (after.databaseUs - before.databaseUs) / by,
  rows: (after.rows - before.rows) / by,
  walBytes: (after.walBytes - before.walBytes) / by,
  busBytes: (after.busBytes - before.busBytes) / by,
})

const secondsFrom = (beganMs: number): number => (performance.now() - beganMs) / 1000

const nothing: Cost = { serverUs: 0, databaseUs: 0, rows: 0, walBytes: 0, busBytes: 0 }

const sumOf = (costs: readonly Cost[]): Cost =>
  costs.reduce(
    (sum, cost) => ({
      serverUs: sum.serverUs + cost.serverUs,
      databaseUs: sum.databaseUs + cost.databaseUs,
      rows: sum.rows + cost.rows,
      walBytes: sum.walBytes + cost.walBytes,
      busBytes: sum.busBytes + cost.busBytes,
    }),
    nothing,
  )

const usedBy = async (stages: readonly Stage[]): Promise<Cost> => sumOf(await Promise.all(stages.map(used)))

/** Idle usage of the servers per second, subtracted from every unit. */
const restOf = async (stages: readonly Stage[]): Promise<Cost> => {
  const beganMs = performance.now()
  const before = await usedBy(stages)
  await sleep(seconds * 1000)
  return per(before, await usedBy(stages), secondsFrom(beganMs))
}

/**
 * Runs the work on all stages at once, longer with more servers, so that each has the same load; returns the number of
 * units.
 */
const doOnAll = async (stages: readonly Stage[], work: Work): Promise<number> => {
  const servers = stages.reduce((sum, { fleet }) => sum + fleet.members.length, 0)
  const units = await Promise.all(stages.map((stage) => work(stage, seconds * servers)))
  return units.reduce((sum, one) => sum + one, 0)
}

const measure = async (stages: readonly Stage[], work: Work, rest: Cost): Promise<Cost> => {
  const beganMs = performance.now()
  const before = await usedBy(stages)
  const units = await doOnAll(stages, work)
  const after = await usedBy(stages)
  const restedSeconds = secondsFrom(beganMs)
  const idle = per(nothing, rest, 1 / restedSeconds)
  return per(idle, per(before, after, 1), units)
}

/** On failure, `undo` stops what was started. */
const beginStage = async (size: number, undo: Undo): Promise<Stage> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'millrace-bench-fleet-'))
  await undo.add(() => rm(dataDir, { recursive: true, force: true }))
  const postgres = await startPostgres({ dataDir, settings: { max_connections: '200' } })
  await undo.add(postgres.stop)
  const client = new pg.Client({ connectionString: postgres.connectionString })
  await client.connect()
  const database = {
    url: postgres.connectionString,
    query: (text: string, values?: unknown[]) => client.query(text, values),
    drop: () => client.end(),
  }
  const fleet = await startFleet({ size, database })
  await undo.add(fleet.remove)
  // Each server has one engine.
  while ((await client.query('select 1 from engines where connected')).rowCount !== size + 1) await sleep(100)
  return { fleet, client, postgresPid: postgres.pid }
}

const beginStages = async (size: Size, undo: Undo): Promise<Stage[]> => {
  const stages: Stage[] = []
  for (const servers of size === 'apart' ? [1, 1, 1] : [Number(size)]) stages.push(await beginStage(servers, undo))
  return stages
}

/** Load average before the start. */
const busyBefore = loadavg()[0]?.toFixed(1)

const measured = new Map<string, Cost[]>()
const keep = (size: Size, name: string, cost: Cost): void => {
  const key = `${size} ${name}`
  measured.set(key, [...(measured.get(key) ?? []), cost])
}

const undo = createUndo()
try {
  const opened: { size: Size; stages: Stage[] }[] = []
  for (const size of sizes) opened.push({ size, stages: await beginStages(size, undo) })
  for (const { stages } of opened) {
    // Warm-up: code is compiled on use.
    for (const name of names) await doOnAll(stages, works[name])
    // Autovacuum would do this within a minute; plans for empty tables would distort the result.
    for (const { client } of stages) await client.query('analyze')
  }
  for (let round = 0; round < rounds; round += 1) {
    const inTurn = round % 2 === 0 ? opened : opened.toReversed()
    const rests = new Map<Size, Cost>()
    for (const { size, stages } of inTurn) rests.set(size, await restOf(stages))
    for (const name of names)
      for (const { size, stages } of inTurn)
        keep(size, name, await measure(stages, works[name], rests.get(size) ?? nothing))
  }
} finally {
  await undo.all()
}
agent.destroy()

/** The median over all rounds. */
const costOf = (size: Size, name: string): Cost => {
  const all = measured.get(`${size} ${name}`) ?? []
  const of = (key: keyof Cost): number => Math.round(median(all.map((cost) => cost[key])) * 10) / 10
  return {
    serverUs: of('serverUs'),
    databaseUs: of('databaseUs'),
    rows: of('rows'),
    walBytes: of('walBytes'),
    busBytes: of('busBytes'),
  }
}
const costsOf = (size: Size) => Object.fromEntries(names.map((name) => [name, costOf(size, name)])) as Costs

const found: Measured = {
  machine: `${availableParallelism()} cores, load average ${busyBefore} before the start`,
  servers: { 1: costsOf('1'), 2: costsOf('2'), 3: costsOf('3') },
  apart: costsOf('apart'),
}
console.log(`${costText(found)}\n\n${scaleText(found.servers[3])}`)
if (process.env.FLEET_WRITE === '1') {
  const page = new URL('../docs/scale.md', import.meta.url)
  await writeFile(new URL('../docs/scale.json', import.meta.url), `${JSON.stringify(found, null, 2)}\n`)
  await writeFile(page, withResult(await readFile(page, 'utf8'), found))
}
