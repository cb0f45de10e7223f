// Registers as a client of an MCP server's authorization server without user action: a client metadata document where
// the server supports it, dynamic registration (RFC 7591) otherwise. Always a public client with PKCE.
import type { ClientMetadata } from '@millrace/contract/auth-providers'
import type { ServerMetadata } from 'openid-client'
import { fail } from '#platform/core/errors.ts'
import type { Outbound } from '#platform/outbound/client.ts'
import { outboundFailureIn } from '#platform/outbound/failures.ts'
import { asFetch } from '#platform/outbound/fetch.ts'
import type { Settings } from '#platform/settings/settings.ts'
import type { LocatedMetadata } from './mcp-discovery.ts'
import { redirectAddress } from './redirect.ts'

const limits = { timeoutMs: 15_000, maxBytes: 256 * 1024 }

type Addresses = Pick<Settings, 'APP_URL' | 'BASE_URL'>

export const clientMetadataAddress = ({ BASE_URL }: Addresses, slug: string): string =>
  `${BASE_URL}/oauth/client-metadata/${slug}`

const described = (settings: Addresses, slug: string) => ({
  client_name: 'Millrace',
  client_uri: settings.APP_URL,
  redirect_uris: [redirectAddress(settings, slug)],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  // OpenID providers accept local pages only for native clients.
  application_type: settings.APP_URL.startsWith('https:') ? 'web' : 'native',
})

export const clientMetadata = (settings: Addresses, slug: string): ClientMetadata => ({
  client_id: clientMetadataAddress(settings, slug),
  ...described(settings, slug),
})

/** A metadata document needs a public https address. */
const readsDocuments = (server: ServerMetadata, settings: Addresses): boolean =>
  server.client_id_metadata_document_supported === true && settings.BASE_URL.startsWith('https:')

export const registerAsClient = async (
  parts: { outbound: Outbound; settings: Addresses },
  { server, located, slug }: { server: ServerMetadata; located: LocatedMetadata; slug: string },
): Promise<string> => {
  const { outbound, settings } = parts
  if (readsDocuments(server, settings)) return clientMetadataAddress(settings, slug)
  if (server.registration_endpoint === undefined)
    throw fail('validation_error', 'The authorization server does not support client registration; enter a client id')
  const { allowInsecureRequests, customFetch, dynamicClientRegistration, None } = await import('openid-client')
  try {
    const client = await dynamicClientRegistration(new URL(located.address), described(settings, slug), None(), {
      algorithm: located.algorithm,
      execute: located.address.startsWith('http:') ? [allowInsecureRequests] : [],
      timeout: limits.timeoutMs / 1000,
      [customFetch]: asFetch(outbound, limits) as never,
    })
    return client.clientMetadata().client_id
  } catch (cause) {
    throw (
      outboundFailureIn(cause) ??
      fail('validation_error', {
        detail: 'The authorization server refused to register this installation as a client',
        cause: cause instanceof Error ? new Error(cause.message) : cause,
      })
    )
  }
}
