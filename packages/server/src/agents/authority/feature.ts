// Authority: the chain of permissions behind a step. Reads what runs, tasks and flow runs recorded and stores nothing.
import type { Feature } from '#platform/core/feature.ts'
import { authorityOperations } from './operations.ts'

export const authorityFeature: Feature = { name: 'authority', operations: authorityOperations }
