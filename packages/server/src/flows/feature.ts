// Flows: graphs of apps and utilities, edited by several people at once.
import type { Feature } from '../core/feature.ts'
import { flowOperations } from './operations.ts'

export const flowsFeature: Feature = { name: 'flows', operations: flowOperations }
