// Projects: folders that group related resources.
import type { Feature } from '#platform/core/feature.ts'
import { projectOperations } from './operations.ts'

export const projectsFeature: Feature = { name: 'projects', operations: projectOperations }
