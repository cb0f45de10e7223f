// The installation: operations for its staff across all workspaces.
import type { Feature } from '#platform/core/feature.ts'
import { installationOperations } from './operations.ts'

export const installationFeature: Feature = { name: 'installation', operations: installationOperations }
