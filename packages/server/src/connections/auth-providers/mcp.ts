// The auth provider of an MCP server, created when the server is registered or connected, from what the server
// declares. The same address always gives the same provider.
import type { AuthProvider, OAuth2Spec } from '@millrace/contract/auth-providers'
import { newId } from '@millrace/contract/ids'
import { clientIdKeyOf } from '@millrace/contract/providers'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { findListedProvider } from '../provider-catalogue/service.ts'
import { writeApp } from './apps.ts'
import { pickProfile } from './auth-server-profiles.ts'
import { authProviderDto } from './dto.ts'
import { assertAddresses } from './endpoints.ts'
import { queueIcon } from './icons.ts'
import { registerAsClient } from './mcp-client.ts'
import { type DiscoveredAuth, discoverMcp } from './mcp-discovery.ts'
import { distinctiveLabel, mcpSlug } from './mcp-slug.ts'
import * as store from './store.ts'

export type McpServer = {
  serverUrl: string
  /** The server's own slug; defaults to the distinctive label of its host. */
  name?: string
  displayName?: string
  /** A manually registered client. */
  clientId?: string
  /** The public directory lists the address, so every workspace shares the provider. */
  isListed?: boolean
  /** Requested instead of the scopes that the server names. */
  scopes?: readonly string[]
  /** Skips discovery and uses this type. */
  authType?: 'oauth' | 'api_key' | 'none'
}

export type EnsuredMcpProvider =
  | { auth_type: 'none'; provider: null }
  | { auth_type: 'oauth' | 'api_key'; provider: AuthProvider }

type OauthDiscovered = Extract<DiscoveredAuth, { kind: 'oauth' }>

const authTypeOf = (row: store.ProviderRow): 'oauth' | 'api_key' =>
  row.specs.some(({ kind }) => kind === 'oauth2') ? 'oauth' : 'api_key'

const found = (row: store.ProviderRow): EnsuredMcpProvider => ({
  auth_type: authTypeOf(row),
  provider: authProviderDto(row),
})

const normalServerUrl = (text: string): string => {
  if (!URL.canParse(text)) throw fail('validation_error', '`server_url` must be a URL')
  const url = new URL(text)
  url.hash = ''
  return url.pathname === '/' && url.search === '' ? url.origin : url.href
}

/** The slug of the existing provider, without a request to the server. */
export const findMcpProvider = async (ctx: Ctx, serverUrl: string): Promise<string | undefined> =>
  (await store.findByMcpServer(ctx.db, ctx.actor.teamId, normalServerUrl(serverUrl)))?.slug

export const ensureMcpProvider = async (ctx: Ctx, server: McpServer): Promise<EnsuredMcpProvider> => {
  const serverUrl = normalServerUrl(server.serverUrl)
  await assertAddresses(ctx, [serverUrl])
  const known = await store.findByMcpServer(ctx.db, ctx.actor.teamId, serverUrl)
  if (known) return found(known)
  if (server.authType === 'none') return { auth_type: 'none', provider: null }
  const discovered: DiscoveredAuth =
    server.authType === 'api_key' ? { kind: 'closed' } : await discoverMcp(ctx.outbound, serverUrl)
  if (discovered.kind === 'open') {
    if (server.authType === 'oauth') throw fail('validation_error', 'The server does not require sign-in')
    return { auth_type: 'none', provider: null }
  }
  if (discovered.kind === 'closed' && server.authType === 'oauth')
    throw fail('validation_error', 'No authorization server was found for this address')
  if (discovered.kind === 'oauth') await assertUsable(ctx, discovered)
  return createProvider(ctx, { ...server, serverUrl }, discovered)
}

/** The authorization server must support public clients and have reachable endpoints. */
const assertUsable = async (ctx: Ctx, { server }: OauthDiscovered): Promise<void> => {
  const { authorization_endpoint, token_endpoint, code_challenge_methods_supported: methods } = server
  if (!authorization_endpoint || !token_endpoint)
    throw fail('validation_error', 'The authorization server declares no sign-in endpoints')
  if (methods !== undefined && !methods.includes('S256'))
    throw fail('validation_error', 'The authorization server does not support PKCE with S256')
  await assertAddresses(ctx, [authorization_endpoint, token_endpoint])
}

const oauthSpec = ({ server, resource, scopes }: OauthDiscovered, wanted: readonly string[] = []): OAuth2Spec => {
  const profile = pickProfile(server)
  const extra = profile.scopes.filter((scope) => server.scopes_supported?.includes(scope))
  return {
    kind: 'oauth2',
    flow: 'authorization_code',
    authorization_endpoint: server.authorization_endpoint ?? '',
    token_endpoint: server.token_endpoint ?? '',
    ...(server.revocation_endpoint ? { revocation_endpoint: server.revocation_endpoint } : {}),
    scopes: [...new Set([...(wanted.length > 0 ? wanted : scopes), ...extra])],
    pkce: true,
    client_auth: 'none',
    resource,
    issuer: server.issuer,
    callback: 'mcp',
    profile: profile.name,
  }
}

const keySpec = {
  kind: 'api_key',
  fields: [{ key: 'API_KEY', label: 'API key', placeholder: '', sensitive: true, optional: false }],
  in: 'header',
  name: 'Authorization',
  prefix: 'Bearer ',
} as const

const attempts = 50

/** Takes the first free number; a concurrent insert makes it try the next. */
const createProvider = async (
  ctx: Ctx,
  server: McpServer,
  discovered: Exclude<DiscoveredAuth, { kind: 'open' }>,
): Promise<EnsuredMcpProvider> => {
  const { actor } = ctx
  const host = new URL(server.serverUrl).hostname
  const name = server.name || distinctiveLabel(host)
  for (let number = 1; number <= attempts; number += 1) {
    const slug = mcpSlug(name, number)
    if (findListedProvider(slug) || (await store.findBySlug(ctx.db, actor.teamId, slug))) continue
    const isOauth = discovered.kind === 'oauth'
    const clientId = isOauth ? server.clientId || (await registerAsClient(ctx, { ...discovered, slug })) : null
    const made = await ctx.tx(async (ctx) => {
      const row = await insertRow(ctx, server, slug, isOauth ? oauthSpec(discovered, server.scopes) : keySpec)
      if (row && clientId !== null) await writeApp(ctx, row, row.scope, { [clientIdKeyOf(slug)]: clientId })
      return row
    })
    if (made) return found(made)
    const rival = await store.findByMcpServer(ctx.db, actor.teamId, server.serverUrl)
    if (rival) return found(rival)
  }
  throw fail('validation_error', `Too many providers are named ${name}`)
}

const insertRow = async (ctx: Ctx, server: McpServer, slug: string, spec: OAuth2Spec | typeof keySpec) => {
  const { actor } = ctx
  const { hostname, protocol } = new URL(server.serverUrl)
  const now = ctx.now().toISOString()
  const scope = server.isListed ? 'platform' : 'team'
  const row = await store.insertProvider(ctx.db, {
    id: newId(),
    team_id: scope === 'team' ? actor.teamId : null,
    user_id: actor.userId,
    slug,
    provider: slug,
    display_name: server.displayName || server.name || distinctiveLabel(hostname),
    icon_url: '',
    icon_given: false,
    website: protocol === 'https:' ? `https://${hostname}` : '',
    description: '',
    docs_url: '',
    how_it_works: [],
    scope,
    connection_scope: 'user',
    specs: JSON.stringify([spec]),
    mcp_server_url: server.serverUrl,
    created_at: now,
    updated_at: now,
  })
  if (!row) return undefined
  if (row.website !== '') await queueIcon(ctx, row.id)
  await recordAudit(ctx, 'auth_provider.created', {
    resourceType: 'auth_provider',
    resourceId: row.id,
    meta: { slug, scope, mcp: true },
  })
  return row
}
