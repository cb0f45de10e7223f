// The installation: what its staff see and change of every workspace.
import type { Feature } from '#platform/core/feature.ts'
import { installationOperations } from './operations.ts'

export const installationFeature: Feature = { name: 'installation', operations: installationOperations }
