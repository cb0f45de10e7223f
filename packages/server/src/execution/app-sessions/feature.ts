// App sessions: workers leased to callers, with an idle timeout.
import { system } from '#platform/core/actor.ts'
import { createCtx } from '#platform/core/ctx.ts'
import { on } from '#platform/core/extension-points.ts'
import type { Feature } from '#platform/core/feature.ts'
import { taskEnded } from '../tasks/extension-points.ts'
import { appSessionOperations } from './operations.ts'
import { expireSessions, failStranded, startIdleWithTask, sweepEnded } from './service.ts'
import { expiredSessions, strandedTasks } from './store.ts'

export const appSessionsFeature: Feature = {
  name: 'app-sessions',
  operations: appSessionOperations,
  crons: (platform) => [
    { name: 'app_sessions.retention', schedule: '47 * * * *', handler: () => sweepEnded(platform) },
  ],
  on: [on(taskEnded, startIdleWithTask)],
  start: async (platform) => {
    return platform.periodicTasks.add(
      {
        name: 'app sessions that expire',
        due: (db, now) => [expiredSessions(db, now)],
        work: async () => void (await expireSessions(createCtx(platform, system))),
      },
      {
        name: 'tasks of app sessions that are over',
        due: (db) => [strandedTasks(db)],
        work: () => failStranded(createCtx(platform, system)),
      },
    )
  },
}
