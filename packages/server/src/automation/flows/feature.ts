// Flows: graphs of apps and utility nodes, edited by several users at once.
import type { Feature } from '#platform/core/feature.ts'
import { sweepVersions } from './changes.ts'
import { flowOperations } from './operations.ts'

export const flowsFeature: Feature = {
  name: 'flows',
  operations: flowOperations,
  crons: (platform) => [{ name: 'flows.sweep', schedule: '23 * * * *', handler: () => sweepVersions(platform) }],
}
