// Live sockets connect callers with running stream functions through the server.
import { on } from '#platform/core/extension-points.ts'
import type { Feature } from '#platform/core/feature.ts'
import { taskEnded, tasksMadeVisible } from '../tasks/extension-points.ts'
import { socketOperations } from './operations.ts'
import { sweepSockets } from './retention.ts'
import { socketRelay } from './routes.ts'
import { closeWithTask } from './service.ts'
import { closeAbandoned, showAsTasks } from './store.ts'

export const socketsFeature: Feature = {
  name: 'sockets',
  operations: socketOperations,
  declaredRoutes: [{ name: 'sockets.relay', route: 'WS /ws/sockets/:id', access: 'socket token' }],
  routes: (platform) => socketRelay(platform).routes,
  crons: (platform) => [
    {
      name: 'sockets.retention',
      schedule: '29 * * * *',
      handler: async () => {
        await sweepSockets(platform)
      },
    },
  ],
  reclaim: ({ db, now }) => closeAbandoned(db, now().toISOString()),
  on: [on(taskEnded, closeWithTask), on(tasksMadeVisible, ({ db }, taskIds) => showAsTasks(db, taskIds))],
}
