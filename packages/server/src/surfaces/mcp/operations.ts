// The metadata of /mcp as a protected resource.
import Type from 'typebox'
import { operation } from '#platform/core/operation.ts'
import { resourceMetadata } from './resource.ts'

const ResourceMetadata = Type.Object({
  resource: Type.String(),
  authorization_servers: Type.Array(Type.String()),
  bearer_methods_supported: Type.Array(Type.String()),
  resource_name: Type.String(),
  resource_documentation: Type.String(),
})

export const mcpOperations = [
  operation({
    name: 'oauth.protected_resource',
    route: ['GET /.well-known/oauth-protected-resource', 'GET /.well-known/oauth-protected-resource/mcp'],
    summary: 'RFC 9728: the authorization server of /mcp',
    scope: 'public',
    bare: true,
    reply: ResourceMetadata,
    run: ({ settings }) => resourceMetadata(settings.BASE_URL),
  }),
]
