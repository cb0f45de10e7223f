// Schemas of MCP servers: the public directory, a workspace's own servers, their tools, and results of calls.
import Type, { type Static } from 'typebox'
import { baseFields, Description, JsonObject, PathText, permissionFields, StringEnum } from './common.ts'

export const mcpAuthTypes = ['oauth', 'api_key', 'none'] as const
export type McpAuthType = (typeof mcpAuthTypes)[number]

export const mcpCategories = ['developer', 'productivity', 'data', 'communication', 'ai', 'other'] as const
export type McpCategory = (typeof mcpCategories)[number]

const serverFields = {
  slug: Type.String(),
  name: Type.String(),
  title: Type.String(),
  description: Type.String(),
  icon_url: Type.String(),
  server_url: Type.String(),
  auth_type: StringEnum(mcpAuthTypes),
  oauth_client_id: Type.Optional(Type.String()),
  default_scopes: Type.Array(Type.String()),
  documentation_url: Type.String(),
  connection_status: Type.Optional(StringEnum(['connected', 'disconnected', 'expired', 'error'])),
}

export const McpServer = Type.Object({ ...baseFields, ...permissionFields, ...serverFields })
export type McpServer = Static<typeof McpServer>

const listingFields = {
  category: StringEnum(mcpCategories),
  namespace: Type.String(),
  is_featured: Type.Boolean(),
  rank: Type.Integer(),
  installs: Type.Integer(),
  uses: Type.Integer(),
}

/** A server of the public directory, without an owner. */
export const McpListing = Type.Object({ ...baseFields, ...serverFields, ...listingFields })
export type McpListing = Static<typeof McpListing>

/** A server of the workspace or of the directory, looked up by slug. */
export const McpServerOrListing = Type.Object({
  ...baseFields,
  ...serverFields,
  ...Type.Partial(Type.Object(permissionFields)).properties,
  ...Type.Partial(Type.Object(listingFields)).properties,
})

const Url = Type.String({ minLength: 1, maxLength: 2048 })
const writable = {
  slug: Type.Optional(Type.String({ maxLength: 64 })),
  title: Type.Optional(Type.String({ maxLength: 200 })),
  description: Type.Optional(Description),
  icon_url: Type.Optional(Type.String({ maxLength: 2048 })),
  auth_type: Type.Optional(
    StringEnum([...mcpAuthTypes, ''], { description: 'Default: determined by asking the server' }),
  ),
  oauth_client_id: Type.Optional(
    Type.String({
      maxLength: 2048,
      description: 'A manually registered client, for servers without client registration',
    }),
  ),
  default_scopes: Type.Optional(Type.Array(Type.String({ maxLength: 256 }), { maxItems: 100 })),
  documentation_url: Type.Optional(Type.String({ maxLength: 2048 })),
}
const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' })

export const CreateMcpServer = Type.Object({ name: Name, server_url: Url, ...writable })
export type CreateMcpServer = Static<typeof CreateMcpServer>

export const UpdateMcpServer = Type.Object({ name: Type.Optional(Name), server_url: Type.Optional(Url), ...writable })
export type UpdateMcpServer = Static<typeof UpdateMcpServer>

export const McpSlugPath = Type.Object({ slug: PathText })
export const McpToolPath = Type.Object({
  slug: PathText,
  tool: PathText,
})

export const McpTool = Type.Object({
  name: Type.String(),
  title: Type.Optional(Type.String()),
  description: Type.String(),
  inputSchema: JsonObject,
  outputSchema: Type.Optional(JsonObject),
  annotations: Type.Optional(JsonObject),
})
export type McpTool = Static<typeof McpTool>

export const McpBlock = Type.Object({
  type: StringEnum(['text', 'image', 'audio', 'resource_link', 'resource']),
  text: Type.Optional(Type.String()),
  data: Type.Optional(Type.String()),
  mimeType: Type.Optional(Type.String()),
  resource: Type.Optional(JsonObject),
})
export type McpBlock = Static<typeof McpBlock>

export const McpInputRequest = Type.Object({ method: Type.String(), params: JsonObject })
export type McpInputRequest = Static<typeof McpInputRequest>

export const McpCallResult = Type.Object({
  output: Type.Optional(Type.Unknown()),
  output_schema: Type.Optional(JsonObject),
  blocks: Type.Optional(Type.Array(McpBlock)),
  is_error: Type.Boolean(),
  input_required: Type.Optional(Type.Boolean()),
  input_requests: Type.Optional(Type.Record(Type.String(), McpInputRequest)),
  request_state: Type.Optional(Type.String()),
})
export type McpCallResult = Static<typeof McpCallResult>
