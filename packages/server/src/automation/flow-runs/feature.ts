// Flow runs: graphs on their way, advanced inside the transactions that end their nodes.
import type { Feature } from '#platform/core/feature.ts'
import { cancelTasksJob, timeoutJob, wakeJob } from './commands.ts'
import { flowRunOperations } from './operations.ts'
import { sweepFlowRuns } from './retention.ts'
import { startFlowTask } from './start.ts'
import { cancelTasks, endAttempt, nodeTaskEnded, sweep, wakeNode } from './timers.ts'
import { cancelFlowRun } from './writes.ts'

export const flowRunsFeature: Feature = {
  name: 'flow-runs',
  operations: flowRunOperations,
  jobs: (platform) => ({
    [wakeJob]: wakeNode(platform),
    [timeoutJob]: endAttempt(platform),
    [cancelTasksJob]: cancelTasks(platform),
  }),
  crons: (platform) => [
    { name: 'flow_runs.sweep', schedule: '* * * * *', handler: () => sweep(platform) },
    { name: 'flow_runs.retention', schedule: '37 * * * *', handler: () => sweepFlowRuns(platform) },
  ],
  start: async (platform) => {
    platform.hooks.taskEnded.push(nodeTaskEnded)
    platform.hooks.startFlowTask.push(startFlowTask)
    platform.hooks.cancelFlowRun.push(cancelFlowRun)
    await sweep(platform)
    return async () => {}
  },
}
