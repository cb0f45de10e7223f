// Estimates the hardware for a million runs a minute and a hundred thousand open streams from the measured cost of a unit of
// work (docs/scale.json, written by `npm run bench -- fleet`): by arithmetic, and by a simulation of the queues of servers and
// databases. `npm run generate` writes the result into docs/scale.md.

export type Cost = { serverUs: number; databaseUs: number; rows: number; walBytes: number; busBytes: number }
export const works = ['requests', 'webhooks', 'runs', 'streams'] as const
export type Costs = Record<(typeof works)[number], Cost>

/** Load of the machine, cost of a unit with one, two and three servers, and with three independent servers. */
export type Measured = { machine: string; servers: Record<'1' | '2' | '3', Costs>; apart: Costs }

export const aim = { runsPerSecond: 1_000_000 / 60, openStreams: 100_000, eventsPerStreamPerSecond: 1 }

/** Maximum average utilization: beyond it, queueing delay grows faster than load. */
const maxUtilization = 0.6
/** Assumed cores of one PostgreSQL machine. */
const databaseCores = 32
/** A run uses a server and the database four times: accepted, dispatched, started, ended. */
const visits = 4

export type Plan = { cells: number; serversPerCell: number; runsPerSecond: number; eventsPerSecond: number }

/** A cell is one database with its servers and workspaces. Cells share nothing. */
export const planFor = (costs: Costs): Plan => {
  const events = aim.openStreams * aim.eventsPerStreamPerSecond
  const databaseUs = aim.runsPerSecond * costs.runs.databaseUs + events * costs.streams.databaseUs
  const cells = Math.ceil(databaseUs / (databaseCores * maxUtilization * 1e6))
  const runsPerSecond = aim.runsPerSecond / cells
  const eventsPerSecond = events / cells
  const serverUs = runsPerSecond * costs.runs.serverUs + eventsPerSecond * costs.streams.serverUs
  return { cells, serversPerCell: Math.ceil(serverUs / (maxUtilization * 1e6)), runsPerSecond, eventsPerSecond }
}

/** Deterministic: the same seed gives the same numbers. */
const randomOf = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Several workers with one first-in, first-out queue. Holds the time at which each worker is free. */
type Station = { readonly freeAtUs: Float64Array; busyUs: number }

const stationOf = (workers: number): Station => ({ freeAtUs: new Float64Array(workers), busyUs: 0 })

/** Completion time of work that arrives now. Calls must be in order of arrival. */
const serve = (station: Station, nowUs: number, workUs: number): number => {
  let first = 0
  for (let worker = 1; worker < station.freeAtUs.length; worker += 1)
    if ((station.freeAtUs[worker] ?? 0) < (station.freeAtUs[first] ?? 0)) first = worker
  const doneUs = Math.max(nowUs, station.freeAtUs[first] ?? 0) + workUs
  station.freeAtUs[first] = doneUs
  station.busyUs += workUs
  return doneUs
}

type Item = { atUs: number; startedUs: number; isEvent: boolean; visit: number; place: 'server' | 'database' }

/** A heap of items, earliest first. */
const createAgenda = () => {
  const heap: Item[] = []
  const at = (index: number): number => heap[index]?.atUs ?? Number.POSITIVE_INFINITY
  const swap = (a: number, b: number): void => {
    const [one, other] = [heap[a], heap[b]]
    if (one && other) [heap[a], heap[b]] = [other, one]
  }
  return {
    add: (item: Item): void => {
      heap.push(item)
      for (let index = heap.length - 1; index > 0; ) {
        const parent = (index - 1) >> 1
        if (at(parent) <= at(index)) return
        swap(parent, index)
        index = parent
      }
    },
    take: (): Item | undefined => {
      swap(0, heap.length - 1)
      const first = heap.pop()
      for (let index = 0; ; ) {
        const child = at(2 * index + 1) <= at(2 * index + 2) ? 2 * index + 1 : 2 * index + 2
        if (at(child) >= at(index)) return first
        swap(child, index)
        index = child
      }
    },
  }
}

export type Outcome = {
  serverBusy: number
  databaseBusy: number
  runP50Ms: number
  runP99Ms: number
  eventP99Ms: number
}

const at = (sorted: readonly number[], share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0

export type Simulated = { costs: Costs; plan: Plan; servers: number; load: number; seconds: number }

/** One cell: items arrive at random, alternate between a random server and the database, and queue at each. */
export const simulate = ({ costs, plan, servers, load, seconds }: Simulated): Outcome => {
  const random = randomOf(7)
  const exponential = (meanUs: number): number => -Math.log(1 - random()) * meanUs
  const serverStations = Array.from({ length: servers }, () => stationOf(1))
  const database = stationOf(databaseCores)
  const agenda = createAgenda()
  const endUs = seconds * 1e6
  const arrive = (isEvent: boolean, perSecond: number): void => {
    for (let atUs = exponential(1e6 / perSecond); atUs < endUs; atUs += exponential(1e6 / perSecond))
      agenda.add({ atUs, startedUs: atUs, isEvent, visit: 0, place: 'server' })
  }
  arrive(false, plan.runsPerSecond * load)
  arrive(true, plan.eventsPerSecond * load)
  const runMs: number[] = []
  const eventMs: number[] = []
  for (let item = agenda.take(); item; item = agenda.take()) {
    const cost = item.isEvent ? costs.streams : costs.runs
    const itemVisits = item.isEvent ? 1 : visits
    const station = item.place === 'server' ? serverStations[Math.floor(random() * servers)] : database
    if (!station) break
    const meanUs = (item.place === 'server' ? cost.serverUs : cost.databaseUs) / itemVisits
    const doneUs = serve(station, item.atUs, exponential(meanUs))
    if (item.place === 'server') agenda.add({ ...item, atUs: doneUs, place: 'database' })
    else if (item.visit + 1 < itemVisits) agenda.add({ ...item, atUs: doneUs, place: 'server', visit: item.visit + 1 })
    else (item.isEvent ? eventMs : runMs).push((doneUs - item.startedUs) / 1000)
  }
  runMs.sort((a, b) => a - b)
  eventMs.sort((a, b) => a - b)
  return {
    serverBusy: serverStations.reduce((sum, { busyUs }) => sum + busyUs, 0) / (servers * endUs),
    databaseBusy: database.busyUs / (databaseCores * endUs),
    runP50Ms: at(runMs, 0.5),
    runP99Ms: at(runMs, 0.99),
    eventP99Ms: at(eventMs, 0.99),
  }
}

const cases = [
  ['as planned', 0, 1],
  ['one server in ten lost', 0.1, 1],
  ['a third more load', 0, 4 / 3],
] as const

const percent = (share: number): string => `${Math.round(share * 100)} %`
const whole = (value: number): string => Math.round(value).toLocaleString('en')

export const scaleText = (costs: Costs): string => {
  const plan = planFor(costs)
  const { cells, serversPerCell, runsPerSecond, eventsPerSecond } = plan
  const { runs, streams } = costs
  const rowsPerSecond = runsPerSecond * runs.rows
  const walMb = (runsPerSecond * runs.walBytes + eventsPerSecond * streams.walBytes) / 1e6
  const messageMb = (runsPerSecond * runs.busBytes + eventsPerSecond * streams.busBytes) / 1e6
  const lines = cases.map(([name, gone, load]) => {
    const servers = serversPerCell - Math.ceil(serversPerCell * gone)
    const outcome = simulate({ costs, plan, servers, load, seconds: 1 })
    const times = [outcome.runP50Ms, outcome.runP99Ms, outcome.eventP99Ms].map((ms) => `${ms.toFixed(1)} ms`)
    return `| ${name} | ${servers} | ${percent(outcome.serverBusy)} | ${percent(outcome.databaseBusy)} | ${times.join(' | ')} |`
  })
  return [
    `${cells} cells, each one PostgreSQL of ${databaseCores} cores and ${serversPerCell} servers: ${whole(cells * serversPerCell)} server cores and ${whole(cells * databaseCores)} database cores.`,
    `Each cell: ${whole(runsPerSecond)} runs and ${whole(eventsPerSecond)} events a second; ${whole(rowsPerSecond)} rows and ${whole(walMb)} MB of WAL a second; ${whole(messageMb)} MB of messages a second.`,
    '',
    '| one cell | servers | server utilization | database utilization | run latency, median | run latency, 99th | event latency, 99th |',
    '|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n')
}

const total = ({ serverUs, databaseUs }: Cost): number => serverUs + databaseUs

/** Processor time per unit with one, two, three and three independent servers, and the rows and bytes of three. */
export const costText = ({ machine, servers, apart }: Measured): string => {
  const [one, two, three] = [servers[1], servers[2], servers[3]]
  const lines = works.map((work) => {
    const times = [one, two, three, apart].map(
      (costs) => `${whole(costs[work].serverUs)} + ${whole(costs[work].databaseUs)}`,
    )
    const ratio = (over: Costs, under: Costs) => (total(over[work]) / total(under[work])).toFixed(2)
    const ratios = [ratio(two, one), ratio(three, one), ratio(three, apart)]
    const { rows, walBytes, busBytes } = three[work]
    return `| ${work} | ${[...times, ...ratios].join(' | ')} | ${rows.toFixed(1)} | ${whole(walBytes)} | ${whole(busBytes)} |`
  })
  return [
    `Processor time in µs, servers + database (${machine}):`,
    '',
    '| unit | one server | two | three | three independent | two ÷ one | three ÷ one | three ÷ independent | rows | WAL bytes | message bytes |',
    '|---|---|---|---|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n')
}

const between = (document: string, name: string, text: string): string => {
  const [opening, closing] = [`<!-- ${name}: written by npm run generate -->`, `<!-- end of ${name} -->`]
  const [before = '', rest = ''] = document.split(opening)
  const after = rest.split(closing)[1] ?? ''
  return `${before}${opening}\n${text}\n${closing}${after}`
}

/** The document with the measurements and the estimate between their markers. */
export const withResult = (document: string, measured: Measured): string =>
  between(between(document, 'costs', costText(measured)), 'plan', scaleText(measured.servers[3]))
