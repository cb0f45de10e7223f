// Metrics for operators: queue, tasks, counters, engines, workers, database connections. Read on scrape, at most every
// few seconds for any number of scrapers.
import { taskStatusText } from '@millrace/contract/task-status'
import type { Logger } from 'pino'
import type { Gate } from '#platform/core/gate.ts'
import type { DatabaseHandle } from '#platform/db/database.ts'
import type { Figure, Metrics, Reading } from '#platform/http/metrics.ts'
import { gpuFigures } from './gpu-figures.ts'
import * as store from './store.ts'

const freshMs = 2_000

type Snapshot = {
  queue: { depth: number; oldestSeconds: number }
  tasks: Reading[]
  engines: Reading[]
  workers: Reading[]
  gpus: readonly store.ReportedGpus[]
  written: ReadonlyMap<string, number>
  unembedded: number
}

const byStatus = (rows: readonly store.NamedCount[]): Reading[] =>
  rows.map(({ name, count }) => ({ labels: { status: name }, value: Number(count) }))

type Source = {
  readonly database: DatabaseHandle
  readonly log: Logger
  /**
   * Database figures are the same on every server; only one server exports them, so that a sum over all servers is
   * correct.
   */
  readonly isExporter: () => Promise<boolean>
  readonly gate: Gate
}

const read = async ({ db }: DatabaseHandle): Promise<Snapshot> => {
  const [queue, live, engines, workers, gpus, written, unembedded] = await Promise.all([
    store.readQueue(db),
    store.countLiveTasks(db),
    store.countEngines(db),
    store.countWorkers(db),
    store.listGpus(db),
    store.countWritten(db),
    store.countUnembedded(db),
  ])
  const queued = { labels: { status: 'queued' }, value: queue.depth }
  return {
    queue,
    tasks: [queued, ...live.map(({ status, count }) => ({ labels: { status: taskStatusText(status) }, value: count }))],
    engines: byStatus(engines),
    workers: byStatus(workers),
    gpus,
    written: new Map(written.map(({ name, count }) => [name, count])),
    unembedded,
  }
}

/** Caches the figures for a short time; they are omitted if the database does not answer. */
const cachedSnapshot = ({ database, log, isExporter }: Source): (() => Promise<Snapshot | null>) => {
  let taken: { at: number; snapshot: Promise<Snapshot | null> } | null = null
  return () => {
    const now = performance.now()
    if (taken === null || now - taken.at > freshMs) {
      const taking = async () => ((await isExporter()) ? read(database) : null)
      const snapshot = taking().catch((error: unknown) => {
        log.warn({ err: error }, 'reading the metrics failed')
        return null
      })
      taken = { at: now, snapshot }
    }
    return taken.snapshot
  }
}

const writtenFigures: readonly (readonly [table: string, name: string, help: string])[] = [
  [
    'tasks',
    'millrace_runs_total',
    'Runs of apps started since installation, on any server; its rate is runs per second',
  ],
  ['flow_runs', 'millrace_flow_runs_total', 'Runs of flows started since installation, on any server'],
  ['trigger_fires', 'millrace_trigger_fires_total', 'Trigger events, including webhooks received, on any server'],
  ['webhook_deliveries', 'millrace_webhooks_total', 'Webhook deliveries created for finished runs, on any server'],
]

export const registerFigures = (metrics: Metrics, source: Source): void => {
  const { database, gate } = source
  const snapshot = cachedSnapshot(source)
  const readings = (pick: (taken: Snapshot) => Reading[]) => async () => {
    const taken = await snapshot()
    return taken === null ? [] : pick(taken)
  }
  const one = (value: number): Reading[] => [{ labels: {}, value }]
  const labels = ['status']
  const figures: readonly Figure[] = [
    {
      name: 'millrace_queue_oldest_seconds',
      help: 'Age of the oldest queued task',
      read: readings(({ queue }) => one(queue.oldestSeconds)),
    },
    {
      name: 'millrace_tasks',
      help: 'Tasks that have not ended, by status',
      labels,
      read: readings(({ tasks }) => tasks),
    },
    { name: 'millrace_engines', help: 'Engines by status', labels, read: readings(({ engines }) => engines) },
    {
      name: 'millrace_workers',
      help: 'Workers of engines by status',
      labels,
      read: readings(({ workers }) => workers),
    },
    ...gpuFigures(async () => (await snapshot())?.gpus ?? []),
    ...writtenFigures.map(([table, name, help]) => ({
      name,
      help,
      read: readings(({ written }) => one(written.get(table) ?? 0)),
    })),
    {
      name: 'millrace_search_waiting',
      help: 'Documents without embeddings yet; search finds them by text only',
      read: readings(({ unembedded }) => one(unembedded)),
    },
    {
      name: 'millrace_calls_waiting',
      help: 'Calls to this server that are queued because their workspace has many concurrent calls',
      read: async () => one(gate.callsWaiting()),
    },
    {
      name: 'millrace_database_connections',
      help: 'Connections of this server, by pool and state',
      labels: ['pool', 'state'],
      read: async () => connectionsOf(database),
    },
  ]
  for (const figure of figures) metrics.figure(figure)
}

const connectionsOf = ({ pools }: DatabaseHandle): Reading[] =>
  Object.entries(pools).flatMap(([pool, { totalCount, idleCount, waitingCount }]) => [
    { labels: { pool, state: 'busy' }, value: totalCount - idleCount },
    { labels: { pool, state: 'idle' }, value: idleCount },
    { labels: { pool, state: 'waited_for' }, value: waitingCount },
  ])
