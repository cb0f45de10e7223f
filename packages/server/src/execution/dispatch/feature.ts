// Dispatching: gives waiting tasks to workers and sends them there.
import { on } from '#platform/core/extension-points.ts'
import type { Feature } from '#platform/core/feature.ts'
import { queuedTaskRead } from '../tasks/extension-points.ts'
import { startDispatcher } from './dispatcher.ts'
import { tellLacksOf } from './lacks.ts'
import { countRunning } from './store.ts'

export const dispatchFeature: Feature = {
  name: 'dispatch',
  operations: [],
  usage: { concurrency: async (db, teamId) => (await countRunning(db, [teamId])).get(teamId) ?? 0 },
  on: [on(queuedTaskRead, (ctx, taskId) => tellLacksOf(ctx, [taskId]))],
  start: async (platform) => startDispatcher(platform).stop,
}
