// Discovers how to sign in to an MCP server: the challenge of an unauthenticated request, the metadata of the resource
// (RFC 9728) and of the authorization server (RFC 8414 or OpenID Connect discovery). Every request uses the guarded
// client.
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'
import type { ServerMetadata } from 'openid-client'
import { fail } from '#platform/core/errors.ts'
import { withoutTrailingSlashes } from '#platform/core/trailing-slashes.ts'
import type { Outbound } from '#platform/outbound/client.ts'
import { outboundFailureIn } from '#platform/outbound/failures.ts'
import { asFetch } from '#platform/outbound/fetch.ts'

const limits = { timeoutMs: 10_000, maxBytes: 256 * 1024 }

/** How the metadata was found, so that the same document can be requested again. */
export type LocatedMetadata = { readonly address: string; readonly algorithm: 'oauth2' | 'oidc' }

export type DiscoveredAuth =
  /** Answers without a credential. */
  | { readonly kind: 'open' }
  /** Requires a credential and names no authorization server. */
  | { readonly kind: 'closed' }
  | {
      readonly kind: 'oauth'
      readonly resource: string
      readonly scopes: readonly string[]
      readonly server: ServerMetadata
      readonly located: LocatedMetadata
    }

// Loaded on first use, because most servers never connect to an MCP resource.
const library = () => import('openid-client')

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'millrace', version: '1' } },
})

type Challenge = { status: number; metadataAddress: string | undefined; scopes: string[] }

const parameterOf = (header: string, name: string): string | undefined =>
  new RegExp(`[\\s,]${name}\\s*=\\s*"([^"]*)"`, 'i').exec(` ${header}`)?.[1]

const probe = async (outbound: Outbound, serverUrl: string): Promise<Challenge> => {
  const answer = await outbound.fetch(serverUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: initialize,
    ...limits,
  })
  await answer.body?.cancel()
  const header = answer.headers.get('www-authenticate') ?? ''
  return {
    status: answer.status,
    metadataAddress: parameterOf(header, 'resource_metadata'),
    scopes: splitScopes(parameterOf(header, 'scope')),
  }
}

const splitScopes = (text: string | undefined): string[] => (text ?? '').split(/\s+/).filter(Boolean)

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []

/** Longer addresses are invalid; the length also limits the time of the libraries that read them. */
const maxIssuerLength = 2048

type ResourceMetadata = { resource: string; authorizationServers: string[]; scopes: string[] }

const readResourceMetadata = async (outbound: Outbound, address: string): Promise<ResourceMetadata | null> => {
  try {
    const answer = await outbound.fetch(address, { headers: { accept: 'application/json' }, ...limits })
    if (!answer.ok) {
      await answer.body?.cancel()
      return null
    }
    const json = parseUntrustedJson(await answer.text()) as Record<string, unknown> | null
    if (json === null || typeof json !== 'object' || typeof json.resource !== 'string') return null
    return {
      resource: json.resource,
      authorizationServers: texts(json.authorization_servers),
      scopes: texts(json.scopes_supported),
    }
  } catch (error) {
    // A missing, invalid or unreachable document counts as absent.
    if (error instanceof SyntaxError || outboundFailureIn(error)) return null
    throw error
  }
}

/** The RFC 9728 metadata addresses of a resource: between host and path, and at the root. */
export const resourceMetadataAddresses = (serverUrl: string): string[] => {
  const { origin, pathname } = new URL(serverUrl)
  const root = `${origin}/.well-known/oauth-protected-resource`
  const path = withoutTrailingSlashes(pathname)
  return path === '' ? [root] : [`${root}${path}`, root]
}

/** Whether this resource identifier is the server or a parent path of it. */
export const namesServer = (resource: string, serverUrl: string): boolean => {
  if (!URL.canParse(resource)) return false
  const [named, server] = [new URL(resource), new URL(serverUrl)]
  const folder = (path: string) => (path.endsWith('/') ? path : `${path}/`)
  return named.origin === server.origin && folder(server.pathname).startsWith(folder(named.pathname))
}

/** The metadata addresses of an issuer, in the order of attempts. */
export const serverMetadataAddresses = (issuer: string): LocatedMetadata[] => {
  const { origin, pathname } = new URL(issuer)
  const path = withoutTrailingSlashes(pathname)
  const document = 'openid-configuration'
  return [
    { address: issuer, algorithm: 'oauth2' },
    ...(path === '' ? [] : [{ address: `${origin}/.well-known/${document}${path}`, algorithm: 'oidc' } as const]),
    { address: issuer, algorithm: 'oidc' },
  ]
}

const discoverServer = async (
  outbound: Outbound,
  issuer: string,
): Promise<{ server: ServerMetadata; located: LocatedMetadata } | null> => {
  const { allowInsecureRequests, customFetch, discovery } = await library()
  // The outbound guard decides whether plain http is allowed.
  const execute = issuer.startsWith('http:') ? [allowInsecureRequests] : []
  for (const located of serverMetadataAddresses(issuer)) {
    try {
      const found = await discovery(new URL(located.address), 'unregistered', undefined, undefined, {
        algorithm: located.algorithm,
        execute,
        timeout: limits.timeoutMs / 1000,
        [customFetch]: asFetch(outbound, limits) as never,
      })
      const server = found.serverMetadata()
      if (sameIssuer(server.issuer, issuer)) return { server, located }
    } catch (error) {
      if (outboundFailureIn(error)?.options.meta?.reason === 'refused') throw outboundFailureIn(error)
    }
  }
  return null
}

const sameIssuer = (a: string, b: string): boolean => a.replace(/\/$/, '') === b.replace(/\/$/, '')

export const discoverMcp = async (outbound: Outbound, serverUrl: string): Promise<DiscoveredAuth> => {
  const challenge = await probe(outbound, serverUrl)
  if (challenge.status >= 200 && challenge.status < 300) return { kind: 'open' }
  const addresses = [
    ...(challenge.metadataAddress ? [challenge.metadataAddress] : []),
    ...resourceMetadataAddresses(serverUrl),
  ]
  let resource: ResourceMetadata | null = null
  for (const address of new Set(addresses)) {
    resource = await readResourceMetadata(outbound, address)
    if (resource) break
  }
  if (!resource && challenge.status !== 401) return { kind: 'open' }
  const issuer = resource?.authorizationServers[0] ?? new URL(serverUrl).origin
  if (issuer.length > maxIssuerLength || !URL.canParse(issuer))
    throw fail('validation_error', 'The server names an authorization server with an invalid address')
  const found = await discoverServer(outbound, issuer)
  if (!found) return { kind: 'closed' }
  return {
    kind: 'oauth',
    resource: resource && namesServer(resource.resource, serverUrl) ? resource.resource : serverUrl,
    scopes: challenge.scopes.length > 0 ? challenge.scopes : (resource?.scopes ?? []),
    ...found,
  }
}
