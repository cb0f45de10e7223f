// Dispatching: gives waiting tasks to workers and sends them there.
import type { Feature } from '../core/feature.ts'
import { startDispatcher } from './dispatcher.ts'

export const dispatchFeature: Feature = {
  name: 'dispatch',
  operations: [],
  start: async (platform) => startDispatcher(platform).stop,
}
