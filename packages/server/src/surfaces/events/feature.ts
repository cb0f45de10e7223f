// The event stream of a workspace.
import type { Feature } from '#platform/core/feature.ts'
import { eventOperations } from './operations.ts'

export const eventsFeature: Feature = { name: 'events', operations: eventOperations }
