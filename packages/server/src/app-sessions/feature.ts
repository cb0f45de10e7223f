// App sessions: workers leased to callers, their doors and their idle time.
import type { Feature } from '../core/feature.ts'
import { appSessionOperations } from './operations.ts'
import { startIdleWithTask } from './service.ts'

export const appSessionsFeature: Feature = {
  name: 'app-sessions',
  operations: appSessionOperations,
  start: async (platform) => {
    platform.hooks.taskEnded.push(startIdleWithTask)
    return async () => {}
  },
}
