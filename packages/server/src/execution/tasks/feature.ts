// Tasks: all runs, their lifecycle, sessions and completion webhooks.
import { system } from '#platform/core/actor.ts'
import { createCtx } from '#platform/core/ctx.ts'
import type { Feature } from '#platform/core/feature.ts'
import { forceCancelOverdue } from './cancel.ts'
import { taskOperations } from './operations.ts'
import { sweepHistory } from './retention.ts'
import { overdueCancels } from './store.ts'
import { stopStreamed } from './streamed-outputs.ts'
import { unwantedSubject } from './subjects.ts'
import { deliverWebhook, webhookJob } from './webhooks.ts'

export const tasksFeature: Feature = {
  name: 'tasks',
  operations: taskOperations,
  jobs: (platform) => ({ [webhookJob]: deliverWebhook(platform) }),
  crons: (platform) => [{ name: 'tasks_retention', schedule: '17 * * * *', handler: () => sweepHistory(platform) }],
  start: async (platform) => {
    const unsubscribe = platform.bus.subscribe(unwantedSubject, ({ taskId }) => stopStreamed(platform, taskId))
    const removeTasks = platform.periodicTasks.add({
      name: 'cancels',
      due: (db, now) => [overdueCancels(db, now)],
      work: () => forceCancelOverdue(createCtx(platform, system)),
    })
    return async () => {
      unsubscribe()
      await removeTasks()
    }
  },
}
