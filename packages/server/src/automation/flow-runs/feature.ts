// Flow runs: executions of graphs, which advance in the transactions that end their tasks.
import { startFlowTask } from '#execution/runs/extension-points.ts'
import { cancelFlowRunOfTask, taskEnded } from '#execution/tasks/extension-points.ts'
import { on } from '#platform/core/extension-points.ts'
import type { Feature } from '#platform/core/feature.ts'
import { wakeJob } from './commands.ts'
import { startFlowNode } from './extension-points.ts'
import { itemJob } from './loops.ts'
import { flowRunOperations } from './operations.ts'
import { sweepFlowRuns } from './retention.ts'
import { startRunOfTask } from './start.ts'
import { cancelTasksJob, timeoutJob } from './start-tasks.ts'
import { startSubFlow } from './sub-flow.ts'
import { cancelTasks, endAttempt, nodeTaskEnded, sweep, wakeItem, wakeNode } from './timers.ts'
import { cancelFlowRun } from './writes.ts'

export const flowRunsFeature: Feature = {
  name: 'flow-runs',
  operations: flowRunOperations,
  jobs: (platform) => ({
    [wakeJob]: wakeNode(platform),
    [timeoutJob]: endAttempt(platform),
    [itemJob]: wakeItem(platform),
    [cancelTasksJob]: cancelTasks(platform),
  }),
  crons: (platform) => [
    { name: 'flow_runs.sweep', schedule: '* * * * *', handler: () => sweep(platform) },
    { name: 'flow_runs.retention', schedule: '37 * * * *', handler: () => sweepFlowRuns(platform) },
  ],
  on: [
    on(taskEnded, nodeTaskEnded),
    on(startFlowTask, startRunOfTask),
    on(startFlowNode, startSubFlow),
    on(cancelFlowRunOfTask, cancelFlowRun),
  ],
  start: async (platform) => {
    await sweep(platform)
    return async () => {}
  },
}
