// Agents for clients of the Agent2Agent protocol.
import type { Feature } from '#platform/core/feature.ts'
import { a2aOperations } from './operations.ts'

export const a2aFeature: Feature = { name: 'a2a', operations: a2aOperations }
