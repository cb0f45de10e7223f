// Wire form of MCP servers.

import type { Visibility } from '@millrace/contract/common'
import { shortId } from '@millrace/contract/ids'
import type { McpAuthType, McpCategory, McpListing, McpServer } from '@millrace/contract/mcp-servers'
import type { ListingRow, ServerRow } from './store.ts'

export type ConnectionStatus = NonNullable<McpServer['connection_status']>

/** An unfinished connection does not count. */
export const statusOf = (authType: string, credentialStatus: string | undefined): ConnectionStatus => {
  if (authType === 'none' || credentialStatus === 'connected') return 'connected'
  return credentialStatus === 'expired' || credentialStatus === 'error' ? credentialStatus : 'disconnected'
}

const common = (row: ServerRow | ListingRow) => ({
  id: row.id,
  short_id: shortId(row.id),
  created_at: row.created_at,
  updated_at: row.updated_at,
  deleted_at: null,
  slug: row.slug,
  name: row.name,
  title: row.title || row.name,
  description: row.description,
  icon_url: row.icon_url,
  server_url: row.server_url,
  auth_type: row.auth_type as McpAuthType,
  default_scopes: row.default_scopes,
  documentation_url: row.documentation_url,
})

export const serverDto = (row: ServerRow, status: ConnectionStatus): McpServer => ({
  ...common(row),
  user_id: row.user_id,
  user: null,
  team_id: row.team_id,
  team: null,
  visibility: row.visibility as Visibility,
  ...(row.oauth_client_id === '' ? {} : { oauth_client_id: row.oauth_client_id }),
  connection_status: status,
})

/** `status` is omitted for callers without a workspace. */
export const listingDto = (row: ListingRow, status: ConnectionStatus | undefined): McpListing => ({
  ...common(row),
  category: row.category as McpCategory,
  namespace: row.namespace,
  is_featured: row.is_featured,
  rank: row.rank,
  installs: Number(row.installs),
  uses: Number(row.uses),
  ...(status === undefined ? {} : { connection_status: status }),
})
