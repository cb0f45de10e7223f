// App sessions: workers leased to callers, their doors and their idle time.
import type { Feature } from '../core/feature.ts'
import { appSessionOperations } from './operations.ts'
import { startIdleWithTask, sweepEnded } from './service.ts'

export const appSessionsFeature: Feature = {
  name: 'app-sessions',
  operations: appSessionOperations,
  crons: (platform) => [
    { name: 'app_sessions.retention', schedule: '47 * * * *', handler: () => sweepEnded(platform) },
  ],
  start: async (platform) => {
    platform.hooks.taskEnded.push(startIdleWithTask)
    return async () => {}
  },
}
