// Agents: versioned templates that chats are started from.
import type { Feature } from '#platform/core/feature.ts'
import { agentOperations } from './operations.ts'
import { countAgents } from './store.ts'
import { sealedToolSecrets } from './versions.ts'

export const agentsFeature: Feature = {
  name: 'agents',
  operations: agentOperations,
  usage: { agents: countAgents },
  sealedColumns: [sealedToolSecrets],
}
