// Tasks: every run, its life, its sessions and its completion webhook.
import type { Feature } from '../core/feature.ts'
import { taskOperations } from './operations.ts'
import { sweepHistory } from './retention.ts'
import { deliverWebhook, webhookJob } from './webhooks.ts'

export const tasksFeature: Feature = {
  name: 'tasks',
  operations: taskOperations,
  jobs: (platform) => ({ [webhookJob]: deliverWebhook(platform) }),
  crons: (platform) => [{ name: 'tasks_retention', schedule: '17 * * * *', handler: () => sweepHistory(platform) }],
}
