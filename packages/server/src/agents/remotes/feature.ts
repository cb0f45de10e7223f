// Remotes: people's machines, and the commands that run there.

import { system } from '#platform/core/actor.ts'
import { createCtx, type Platform } from '#platform/core/ctx.ts'
import { on } from '#platform/core/extension-points.ts'
import type { Feature } from '#platform/core/feature.ts'
import { harness } from '../chats/extension-points.ts'
import { registerBuiltInTool } from '../chats/service.ts'
import { deliverResults, endAbandoned, remoteExec, remoteList } from './agent-tools.ts'
import { execOperations } from './exec-operations.ts'
import { sealedEnv } from './execs.ts'
import { failUnopened, remoteHarness } from './launch.ts'
import { remoteOperations } from './operations.ts'
import { sweep } from './presence.ts'
import { clearConnections, knownRemotes } from './presence-store.ts'
import { deleteOldRuns, trimOutputs } from './retention.ts'
import { remoteSockets } from './socket.ts'

const watchMs = 2_000

/** Handles everything that is overdue. */
const watch = async (platform: Platform, upSince: Date): Promise<void> => {
  const ctx = createCtx(platform, system)
  await sweep(ctx, upSince)
  await deliverResults(ctx)
  await endAbandoned(ctx)
  await failUnopened(ctx)
}

export const remotesFeature: Feature = {
  name: 'remotes',
  operations: [...remoteOperations, ...execOperations],
  declaredRoutes: [{ name: 'remotes.socket', route: 'WS /ws/remotes/:id', access: 'remotes:write' }],
  routes: (platform, gate) => remoteSockets(platform, gate).routes,
  sealedColumns: [sealedEnv],
  crons: (platform) => [
    { name: 'execs.retention', schedule: '17 * * * *', handler: () => deleteOldRuns(platform) },
    { name: 'execs.storage', schedule: '* * * * *', handler: () => trimOutputs(platform) },
  ],
  reclaim: ({ db, now }) => clearConnections(db, now().toISOString()),
  on: [on(harness, remoteHarness)],
  start: async (platform) => {
    registerBuiltInTool(platform, 'remote_list', remoteList)
    registerBuiltInTool(platform, 'remote_exec', remoteExec)
    const upSince = platform.now()
    return platform.periodicTasks.add({
      name: 'remotes',
      due: () => [knownRemotes],
      work: () => watch(platform, upSince),
      everyMs: watchMs,
    })
  },
}
