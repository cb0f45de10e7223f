// Projects: folders that keep related work together.
import type { Feature } from '#platform/core/feature.ts'
import { projectOperations } from './operations.ts'

export const projectsFeature: Feature = { name: 'projects', operations: projectOperations }
