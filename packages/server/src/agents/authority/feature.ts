// Authority: why a step could do what it did. Reads what runs, tasks and flow runs recorded; keeps nothing of its own.
import type { Feature } from '#platform/core/feature.ts'
import { authorityOperations } from './operations.ts'

export const authorityFeature: Feature = { name: 'authority', operations: authorityOperations }
