// Figures of the whole installation. They come from rows, so every server could tell them: only the eldest does, and the
// others say 0, so that the sum over all servers is right.
import type { Platform } from '../core/ctx.ts'
import type { Metrics } from '../http/metrics.ts'
import * as store from './store.ts'

const figures: readonly [name: string, help: string, read: (db: Platform['db']) => Promise<number>][] = [
  ['millrace_tasks_waiting', 'Tasks that wait for a worker', store.countWaitingTasks],
  ['millrace_tasks_on_engines', 'Tasks that engines have', store.countTasksOnEngines],
  ['millrace_jobs_waiting', 'Jobs that could run now and wait', store.countWaitingJobs],
  ['millrace_engines_connected', 'Engines that hold a connection', store.countConnectedEngines],
  ['millrace_servers', 'Servers that work on the database', store.countServers],
]

/** Whether this server tells the figures that are the same on all of them. */
export const isEldest = async ({ db, server }: Pick<Platform, 'db' | 'server'>): Promise<boolean> => {
  const eldest = await store.findEldest(db)
  return eldest === undefined || eldest === server.id
}

export const addFleetFigures = ({ db, server, log }: Platform, metrics: Metrics): void => {
  for (const [name, help, read] of figures)
    metrics.gauge(name, help, async () => {
      try {
        return (await isEldest({ db, server })) ? await read(db) : 0
      } catch (error) {
        // The other figures are told all the same: they are what one looks at when the database is away.
        log.warn({ err: error, figure: name }, 'a figure could not be read')
        return Number.NaN
      }
    })
  metrics.gauge('millrace_server_draining', 'Whether this server is on its way out', () => (server.draining ? 1 : 0))
}
