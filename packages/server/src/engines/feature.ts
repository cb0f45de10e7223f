// Engines: the machines that run tasks, their sockets, and the loops that watch over both.
import { expireSessions } from '../app-sessions/service.ts'
import { guest } from '../core/actor.ts'
import { createCtx, type Platform } from '../core/ctx.ts'
import type { Feature } from '../core/feature.ts'
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

/** Everything that is overdue, every two seconds; each part fails alone. */
const startWatch = (platform: Platform): (() => Promise<void>) => {
  const upSince = platform.now()
  let busy: Promise<void> | null = null
  const watch = async (): Promise<void> => {
    const ctx = createCtx(platform, guest)
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
  const timer = setInterval(() => {
    busy ??= watch().finally(() => {
      busy = null
    })
  }, watchMs)
  return async () => {
    clearInterval(timer)
    await busy
  }
}

export const enginesFeature: Feature = {
  name: 'engines',
  operations: engineOperations,
  doors: [{ name: 'engines.socket', door: 'WS /ws/engines/:id', access: 'engines:write' }],
  routes: (platform, gate) => engineSockets(platform, gate).routes,
  reclaim: (platform) => forgetConnections(createCtx(platform, guest)),
  start: async (platform) => {
    platform.hooks.taskEnded.push(adoptTaskOutputs)
    return startWatch(platform)
  },
  crons: (platform) => [
    { name: 'engines.retention', schedule: '43 4 * * *', handler: () => sweepDeletedEngines(platform) },
  ],
  listening: startLocalEngine,
}
