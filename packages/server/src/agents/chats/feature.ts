// Chats: runs of agents. Runs advance inside the transactions that end the tasks they wait for.
import { memberLeft } from '#accounts/teams/extension-points.ts'
import { startAgentNode } from '#automation/flow-runs/extension-points.ts'
import { triggerAction } from '#automation/triggers/extension-points.ts'
import { credentialConnected } from '#connections/credentials/extension-points.ts'
import { taskEnded } from '#execution/tasks/extension-points.ts'
import { on } from '#platform/core/extension-points.ts'
import type { Feature } from '#platform/core/feature.ts'
import { startNodeRun } from './automation/flow-node.ts'
import { resolveInterruptAction, runAgentAction } from './automation/trigger-actions.ts'
import { reclaimErrands, startErrands } from './hooks/errands.ts'
import { continueAfterConnect, resumeAfterConnect, resumeAfterConnectJob } from './interrupts/interrupts.ts'
import { chatOperations } from './operations.ts'
import { sweepChats } from './retention.ts'
import { runOperations } from './run-operations.ts'
import { settleRunJob } from './runs/drive.ts'
import { chatTaskEnded, settleRun, stopRunJob, stopRunLater, stopRunsOf, sweep } from './runs/lifecycle.ts'

export const chatsFeature: Feature = {
  name: 'chats',
  operations: [...chatOperations, ...runOperations],
  jobs: (platform) => ({
    [settleRunJob]: settleRun(platform),
    [stopRunJob]: stopRunLater(platform),
    [resumeAfterConnectJob]: continueAfterConnect(platform),
  }),
  crons: (platform) => [
    { name: 'chats.sweep', schedule: '* * * * *', handler: () => sweep(platform) },
    { name: 'chats.retention', schedule: '41 * * * *', handler: () => sweepChats(platform) },
  ],
  on: [
    on(taskEnded, chatTaskEnded),
    on(startAgentNode, startNodeRun),
    on(credentialConnected, (ctx, { teamId, provider, id }) => resumeAfterConnect(ctx, teamId, [provider, id])),
    on(memberLeft, stopRunsOf),
    on(triggerAction, runAgentAction),
    on(triggerAction, resolveInterruptAction),
  ],
  reclaim: reclaimErrands,
  start: async (platform) => {
    await sweep(platform)
    const errands = startErrands(platform)
    return () => errands.stop()
  },
}
