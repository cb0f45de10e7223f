// Metrics of the whole installation. All servers can read them from the database, so only the oldest one reports them
// and the others report 0; the sum over all servers is then correct.
import type { Platform } from '../core/ctx.ts'
import type { Metrics } from '../http/metrics.ts'
import * as store from './store.ts'

const figures: readonly [name: string, help: string, read: (db: Platform['db']) => Promise<number>][] = [
  ['millrace_tasks_waiting', 'Tasks waiting for a worker', store.countWaitingTasks],
  ['millrace_tasks_on_engines', 'Tasks assigned to engines', store.countTasksOnEngines],
  ['millrace_jobs_waiting', 'Jobs that are due and waiting', store.countWaitingJobs],
  ['millrace_engines_connected', 'Connected engines', store.countConnectedEngines],
  ['millrace_servers', 'Servers of this database', store.countServers],
]

/** Whether this server reports the metrics of the installation. */
export const isOldest = async ({ db, server }: Pick<Platform, 'db' | 'server'>): Promise<boolean> => {
  const oldest = await store.findOldest(db)
  return oldest === undefined || oldest === server.id
}

export const addFleetFigures = ({ db, server, log }: Platform, metrics: Metrics): void => {
  for (const [name, help, read] of figures)
    metrics.gauge(name, help, async () => {
      try {
        return (await isOldest({ db, server })) ? await read(db) : 0
      } catch (error) {
        // Other metrics are still reported, because they are needed when the database is unavailable.
        log.warn({ err: error, figure: name }, 'could not read a metric')
        return Number.NaN
      }
    })
  metrics.gauge('millrace_server_draining', 'Whether this server is draining', () => (server.draining ? 1 : 0))
}
