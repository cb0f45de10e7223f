// Finds the changed fields of a tool server's form. Pure.
import type { UpdateMcpServer } from '@millrace/contract/mcp-servers'

export type ServerTexts = Required<
  Pick<UpdateMcpServer, 'name' | 'title' | 'server_url' | 'description' | 'documentation_url' | 'oauth_client_id'>
>

type StoredServer = Omit<ServerTexts, 'oauth_client_id'> & { oauth_client_id?: string }

export const textsOf = (server: StoredServer): ServerTexts => ({
  name: server.name,
  title: server.title,
  server_url: server.server_url,
  description: server.description,
  documentation_url: server.documentation_url,
  oauth_client_id: server.oauth_client_id ?? '',
})

/** Only changed fields: sending the address again would repeat sign-in discovery. */
export const changedTexts = (stored: ServerTexts, typed: ServerTexts): UpdateMcpServer =>
  Object.fromEntries(
    Object.entries(typed)
      .map(([field, text]) => [field, text.trim()])
      .filter(([field, text]) => text !== stored[field as keyof ServerTexts]),
  )
