// The workspace's own stream.
import type { Feature } from '../core/feature.ts'
import { eventOperations } from './operations.ts'

export const eventsFeature: Feature = { name: 'events', operations: eventOperations }
