// Dispatching: gives waiting tasks to workers and sends them there.
import type { Feature } from '../core/feature.ts'
import { startDispatcher } from './dispatcher.ts'
import { tellLacksOf } from './lacks.ts'

export const dispatchFeature: Feature = {
  name: 'dispatch',
  operations: [],
  start: async (platform) => {
    platform.hooks.waitingShown.push((ctx, taskId) => tellLacksOf(ctx, [taskId]))
    return startDispatcher(platform).stop
  },
}
