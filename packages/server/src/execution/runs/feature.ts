// Runs: validates run requests and creates their tasks.
import type { Feature } from '#platform/core/feature.ts'
import { beginDueFlow, flowTaskJob } from './flow-task.ts'
import { runOperations } from './operations.ts'

export const runsFeature: Feature = {
  name: 'runs',
  operations: runOperations,
  jobs: (platform) => ({ [flowTaskJob]: beginDueFlow(platform) }),
}
