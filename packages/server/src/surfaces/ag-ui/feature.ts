// Agents for AG-UI clients.
import type { Feature } from '#platform/core/feature.ts'
import { agUiOperations } from './operations.ts'

export const agUiFeature: Feature = { name: 'ag_ui', operations: agUiOperations }
