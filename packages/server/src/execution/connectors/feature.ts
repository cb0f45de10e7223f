// Connectors: apps from descriptions of services.
import type { Feature } from '#platform/core/feature.ts'
import { connectorOperations } from './operations.ts'

export const connectorsFeature: Feature = { name: 'connectors', operations: connectorOperations }
