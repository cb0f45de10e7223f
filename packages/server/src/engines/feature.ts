// Engines: the machines that run tasks, their sockets, and the loops that watch over both.
import { expireSessions } from '../app-sessions/service.ts'
import { system } from '../core/actor.ts'
import { createCtx, type Platform } from '../core/ctx.ts'
import type { Feature } from '../core/feature.ts'
import { startWatch } from '../core/watch.ts'
import { forceCancelOverdue } from '../tasks/service.ts'
import { finishDrained } from './control.ts'
import { sweep } from './liveness.ts'
import { startLocalEngine } from './local-engine.ts'
import { engineOperations } from './operations.ts'
import { adoptTaskOutputs } from './outputs.ts'
import { forgetConnections } from './presence.ts'
import { repeatMissed } from './repeat.ts'
import { sweepDeletedEngines } from './retention.ts'
import { engineSockets } from './socket.ts'

const watchMs = 2_000

/** Everything that is overdue; each part fails alone. */
const watch = async (platform: Platform, upSince: Date): Promise<void> => {
  const ctx = createCtx(platform, system)
  for (const part of [
    () => sweep(ctx, upSince),
    () => forceCancelOverdue(ctx),
    () => expireSessions(ctx),
    () => finishDrained(ctx),
    // Alone, nothing that is said gets lost on its way.
    async () => (platform.settings.DATABASE_URL === undefined ? undefined : repeatMissed(ctx)),
  ])
    await part().catch((error: unknown) => platform.log.error({ err: error }, 'a watch over engines failed'))
}

export const enginesFeature: Feature = {
  name: 'engines',
  operations: engineOperations,
  doors: [{ name: 'engines.socket', door: 'WS /ws/engines/:id', access: 'engines:write' }],
  routes: (platform, gate) => engineSockets(platform, gate).routes,
  reclaim: (platform) => forgetConnections(createCtx(platform, system)),
  start: async (platform) => {
    platform.hooks.taskEnded.push(adoptTaskOutputs)
    const upSince = platform.now()
    return startWatch(platform, {
      everyMs: watchMs,
      look: () => watch(platform, upSince),
      failed: 'the watch over engines failed',
    })
  },
  crons: (platform) => [
    { name: 'engines.retention', schedule: '43 4 * * *', handler: () => sweepDeletedEngines(platform) },
  ],
  listening: startLocalEngine,
}
