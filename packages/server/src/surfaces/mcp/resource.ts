// The metadata of /mcp for clients that want to sign in (RFC 9728).

export const resourceAddress = (baseUrl: string): string => `${baseUrl}/mcp`

export const metadataAddress = (baseUrl: string): string => `${baseUrl}/.well-known/oauth-protected-resource/mcp`

export const resourceMetadata = (baseUrl: string) => ({
  resource: resourceAddress(baseUrl),
  authorization_servers: [baseUrl],
  bearer_methods_supported: ['header'],
  resource_name: 'Millrace',
  resource_documentation: `${baseUrl}/docs`,
})
