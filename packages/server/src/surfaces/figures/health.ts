// The status of the installation for its staff: the figures of /metrics as one reply.
import { statfs } from 'node:fs/promises'
import type { Health } from '@millrace/contract/installation'
import type { Ctx } from '#platform/core/ctx.ts'
import { countTasksOnEngines, listServers } from '#platform/fleet/store.ts'
import { version } from '#platform/settings/version.ts'
import * as store from './store.ts'

const shownFailures = 10
const shownTables = 10

const byStatus = (rows: readonly store.NamedCount[]): Record<string, number> =>
  Object.fromEntries(rows.map(({ name, count }) => [name, Number(count)]))

const diskOf = async (folder: string): Promise<Health['disk']> => {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { free_bytes: bavail * bsize, total_bytes: blocks * bsize }
}

/** Sequential queries, so that the health page does not take database connections from other work. */
export const healthOf = async ({ db, server, settings }: Ctx): Promise<Health> => {
  const queue = await store.readQueue(db)
  return {
    version,
    servers: (await listServers(db)).map((row) => ({ ...row, answers: row.id === server.id })),
    engines: byStatus(await store.countEngines(db)),
    workers: byStatus(await store.countWorkers(db)),
    queue: {
      waiting: queue.depth,
      oldest_seconds: queue.oldestSeconds,
      on_engines: await countTasksOnEngines(db),
    },
    jobs: { ...(await store.countJobs(db)), latest_failures: await store.listFailedJobs(db, shownFailures) },
    disk: await diskOf(settings.DATA_DIR),
    database: {
      ...(await store.readDatabase(db)),
      largest_tables: (await store.listTableSizes(db)).slice(0, shownTables),
    },
  }
}
