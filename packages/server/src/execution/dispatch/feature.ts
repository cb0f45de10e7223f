// Dispatch: assigns queued tasks to workers and sends them there.
import { on } from '#platform/core/extension-points.ts'
import type { Feature } from '#platform/core/feature.ts'
import { queuedTaskRead, queueReasonOfTask } from '../tasks/extension-points.ts'
import { startDispatcher } from './dispatcher.ts'
import { readQueueReason } from './read-queue-reason.ts'
import { countRunning } from './store.ts'
import { addUnmetNotices } from './unmet-requirements.ts'

export const dispatchFeature: Feature = {
  name: 'dispatch',
  operations: [],
  usage: { concurrency: async (db, teamId) => (await countRunning(db, [teamId])).get(teamId) ?? 0 },
  on: [on(queuedTaskRead, (ctx, taskId) => addUnmetNotices(ctx, [taskId])), on(queueReasonOfTask, readQueueReason)],
  start: async (platform) => startDispatcher(platform).stop,
}
