// Dispatching: gives waiting tasks to workers and sends them there.
import type { Feature } from '#platform/core/feature.ts'
import { startDispatcher } from './dispatcher.ts'
import { tellLacksOf } from './lacks.ts'
import { countRunning } from './store.ts'

export const dispatchFeature: Feature = {
  name: 'dispatch',
  operations: [],
  usage: { concurrency: async (db, teamId) => (await countRunning(db, [teamId])).get(teamId) ?? 0 },
  start: async (platform) => {
    platform.hooks.waitingShown.push((ctx, taskId) => tellLacksOf(ctx, [taskId]))
    return startDispatcher(platform).stop
  },
}
