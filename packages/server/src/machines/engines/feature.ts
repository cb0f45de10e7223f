// Engines: the machines that run tasks, their sockets, and the periodic tasks that monitor both.

import { taskEnded } from '#execution/tasks/extension-points.ts'
import { system } from '#platform/core/actor.ts'
import { createCtx, type Platform } from '#platform/core/ctx.ts'
import { on } from '#platform/core/extension-points.ts'
import type { Feature } from '#platform/core/feature.ts'
import { startWatch } from '#platform/core/watch.ts'
import { finishDrained } from './control.ts'
import { sweep, sweepRound } from './liveness.ts'
import { startLocalEngine } from './local-engine.ts'
import { engineOperations } from './operations.ts'
import { adoptTaskOutputs } from './outputs.ts'
import { forgetConnections } from './presence.ts'
import { repeatMissed } from './repeat-orders.ts'
import { sweepDeletedEngines } from './retention.ts'
import { engineSockets } from './socket.ts'
import { drainedEngines } from './sweep-store.ts'

const repeatMs = 2_000

/** A single server loses no frames in transit. */
const startRepeating = (platform: Platform): (() => Promise<void>) =>
  platform.settings.DATABASE_URL === undefined
    ? async () => {}
    : startWatch(platform, {
        everyMs: repeatMs,
        poll: () => repeatMissed(createCtx(platform, system)),
        failed: 'could not repeat frames that engines may have missed',
      })

export const enginesFeature: Feature = {
  name: 'engines',
  operations: engineOperations,
  declaredRoutes: [{ name: 'engines.socket', route: 'WS /ws/engines/:id', access: 'engines:write' }],
  routes: (platform, gate) => engineSockets(platform, gate).routes,
  reclaim: (platform) => forgetConnections(createCtx(platform, system)),
  on: [on(taskEnded, adoptTaskOutputs)],
  start: async (platform) => {
    const upSince = platform.now()
    const stopTask = platform.periodicTasks.add(
      { name: 'engines', ...sweepRound(upSince), work: () => sweep(createCtx(platform, system), upSince) },
      {
        name: 'engines that have drained',
        due: () => [drainedEngines],
        work: () => finishDrained(createCtx(platform, system)),
      },
    )
    const stopRepeating = startRepeating(platform)
    return async () => {
      await stopTask()
      await stopRepeating()
    }
  },
  crons: (platform) => [
    { name: 'engines.retention', schedule: '43 4 * * *', handler: () => sweepDeletedEngines(platform) },
  ],
  listening: startLocalEngine,
}
