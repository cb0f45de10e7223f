// Tasks: every run, its life, its sessions and its completion webhook.
import type { Feature } from '../core/feature.ts'
import { taskOperations } from './operations.ts'
import { forgetLogs } from './progress.ts'
import { deliverWebhook, webhookJob } from './webhooks.ts'

export const tasksFeature: Feature = {
  name: 'tasks',
  operations: taskOperations,
  jobs: (platform) => ({ [webhookJob]: deliverWebhook(platform) }),
  start: async ({ hooks }) => {
    hooks.taskEnded.push(async (_ctx, task) => forgetLogs(task.id))
    return async () => {}
  },
}
