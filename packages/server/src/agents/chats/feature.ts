// Chats: agents at work. Runs go on inside the transactions that end what they wait for.
import type { Feature } from '#platform/core/feature.ts'
import { settleRunJob } from './drive.ts'
import { reclaimErrands, startErrands } from './errands.ts'
import { startAgentNode } from './flow-node.ts'
import { chatTaskEnded, settleRun, stopRunJob, stopRunLater, stopRunsOf, sweep } from './lifecycle.ts'
import { chatOperations } from './operations.ts'
import { resumeAfterConnect } from './questions.ts'
import { sweepChats } from './retention.ts'
import { runOperations } from './run-operations.ts'
import { resolveInterruptAction, runAgentAction } from './trigger-actions.ts'

export const chatsFeature: Feature = {
  name: 'chats',
  operations: [...chatOperations, ...runOperations],
  jobs: (platform) => ({ [settleRunJob]: settleRun(platform), [stopRunJob]: stopRunLater(platform) }),
  crons: (platform) => [
    { name: 'chats.sweep', schedule: '* * * * *', handler: () => sweep(platform) },
    { name: 'chats.retention', schedule: '41 * * * *', handler: () => sweepChats(platform) },
  ],
  reclaim: reclaimErrands,
  start: async (platform) => {
    platform.hooks.taskEnded.push(chatTaskEnded)
    platform.hooks.startAgentNode.push(startAgentNode)
    platform.hooks.credentialConnected.push((ctx, { teamId, provider, id }) =>
      resumeAfterConnect(ctx, teamId, [provider, id]),
    )
    platform.hooks.memberLeft.push(stopRunsOf)
    platform.hooks.triggerActions.set('run_agent', runAgentAction)
    platform.hooks.triggerActions.set('resolve_interrupt', resolveInterruptAction)
    await sweep(platform)
    const errands = startErrands(platform)
    return () => errands.stop()
  },
}
