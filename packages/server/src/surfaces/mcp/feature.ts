// The MCP server: this server's operations as tools for external programs.
import type { Feature } from '#platform/core/feature.ts'
import { mcpOperations } from './operations.ts'
import { declaredMcpRoutes, mcpRoutes } from './routes.ts'

export const mcpFeature: Feature = {
  name: 'mcp',
  operations: mcpOperations,
  declaredRoutes: declaredMcpRoutes,
  routes: mcpRoutes,
}
