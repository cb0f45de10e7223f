// MCP servers: registration, sign-in, and tool calls by people and agents.

import type { Feature } from '#platform/core/feature.ts'
import { registerToolKind } from '../chats/service.ts'
import { mcpToolKind } from './agent-tools.ts'
import { seedDirectory } from './directory.ts'
import { mcpServerOperations } from './operations.ts'
import { refreshTools, refreshToolsJob, sweepTools } from './tools.ts'

export const mcpServersFeature: Feature = {
  name: 'mcp-servers',
  operations: mcpServerOperations,
  jobs: (platform) => ({ [refreshToolsJob]: (payload) => refreshTools(platform, payload) }),
  crons: (platform) => [
    { name: 'mcp_servers.forget_tools', schedule: '23 4 * * *', handler: () => sweepTools(platform) },
  ],
  start: async (platform) => {
    registerToolKind(platform, 'mcp', mcpToolKind)
    await seedDirectory(platform)
    return async () => {}
  },
}
