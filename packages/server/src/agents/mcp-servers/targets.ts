// Resolves a slug to a server, and finds the caller's connection to it.
import type { Tool } from '@millrace/contract/agents'
import { requirePolicy } from '#accounts/usage-policies/service.ts'
import { ensureMcpProvider, findMcpProvider, type McpServer } from '#connections/auth-providers/service.ts'
import { type Connection, get, requirementErrors, resolveCredential } from '#connections/credentials/service.ts'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail, isFailure } from '#platform/core/errors.ts'
import { unreachable } from './failures.ts'
import * as store from './store.ts'

export type Target = {
  readonly slug: string
  readonly title: string
  readonly serverUrl: string
  /** Slug of its auth provider; null if no sign-in is needed. */
  readonly provider: string | null
}

type Ctxm = Ctx<Member>

const ofServer = (row: store.ServerRow): Target => ({
  slug: row.slug,
  title: row.title || row.name,
  serverUrl: row.server_url,
  provider: row.provider,
})

/**
 * The provider of a listed server is shared, so it is created only from the directory's data, never from a workspace's.
 */
export const listedServer = ({ slug, title, server_url, auth_type }: store.ListingRow): McpServer => ({
  serverUrl: server_url,
  name: slug,
  displayName: title,
  isListed: true,
  authType: auth_type as 'oauth' | 'api_key' | 'none',
})

/** The provider of a listed server is created on first use. */
const ofListing = async (ctx: Ctxm, row: store.ListingRow): Promise<Target> => {
  const { slug, title, server_url: serverUrl } = row
  const target = { slug, title, serverUrl }
  if (row.auth_type === 'none') return { ...target, provider: null }
  const ensured = await ensureMcpProvider(ctx, listedServer(row)).catch((error: unknown) => {
    throw isFailure(error) && error.options.meta?.reason === undefined ? error : unreachable(title, error)
  })
  return { ...target, provider: ensured.provider?.slug ?? null }
}

/** The target without querying the server for its sign-in method; undefined if a query would be needed. */
const ofKnownListing = async (ctx: Ctxm, row: store.ListingRow): Promise<Target | undefined> => {
  const { slug, title, server_url: serverUrl } = row
  if (row.auth_type === 'none') return { slug, title, serverUrl, provider: null }
  const provider = await findMcpProvider(ctx, serverUrl)
  return provider === undefined ? undefined : { slug, title, serverUrl, provider }
}

type Row = { own: store.ServerRow } | { listing: store.ListingRow }

/** The workspace's own servers take precedence over the directory's. */
const findRow = async (ctx: Ctxm, slug: string): Promise<Row> => {
  const own = await store.findServerBySlug(ctx.db, ctx.actor.teamId, slug)
  if (own) return { own }
  const listing = await store.findListing(ctx.db, slug)
  if (!listing) throw fail('not_found', `MCP server ${slug} not found`)
  return { listing }
}

/** Usage policies name servers by slug, in the workspace's namespace or the directory's. */
const assertAllowed = async (ctx: Ctxm, row: Row): Promise<Row> => {
  const { namespace, slug } = 'own' in row ? row.own : row.listing
  await requirePolicy(ctx, 'mcps', { team_id: 'own' in row ? row.own.team_id : null, namespace, name: slug })
  return row
}

export const findTarget = async (ctx: Ctxm, slug: string): Promise<Target> => {
  const row = await assertAllowed(ctx, await findRow(ctx, slug))
  return 'own' in row ? ofServer(row.own) : ofListing(ctx, row.listing)
}

/** An agent's tool names the server by its slug or by a connection to it. */
const rowOfTool = async (ctx: Ctxm, { mcp }: Tool): Promise<Row> => {
  if (mcp?.server) return findRow(ctx, mcp.server)
  const named = mcp?.credential_id || mcp?.integration_id || ''
  const { provider } = await get(ctx, named)
  const own = await store.findServerByProvider(ctx.db, ctx.actor.teamId, provider)
  return own ? { own } : findRow(ctx, provider.replace(/(-\d+)?-mcp$/, ''))
}

export const targetOfTool = async (ctx: Ctxm, tool: Tool): Promise<Target> => {
  const row = await assertAllowed(ctx, await rowOfTool(ctx, tool))
  return 'own' in row ? ofServer(row.own) : ofListing(ctx, row.listing)
}

/** For use inside a transaction: undefined if the server would have to be queried. */
export const knownTargetOfTool = async (ctx: Ctxm, tool: Tool): Promise<Target | undefined> => {
  const row = await assertAllowed(ctx, await rowOfTool(ctx, tool))
  return 'own' in row ? ofServer(row.own) : ofKnownListing(ctx, row.listing)
}

/** The connection for a call: null if the server needs none; throws if it is missing. */
export const connectionTo = async (ctx: Ctxm, target: Target): Promise<Connection | null> => {
  if (target.provider === null) return null
  const row = await resolveCredential(ctx, target.provider)
  if (row) return row
  throw await notConnected(ctx, target)
}

export const notConnected = async (ctx: Ctxm, target: Target) => {
  const required = { provider: target.provider ?? '', name: target.title }
  const found = await requirementErrors(ctx, { required_credentials: [required] })
  // The server rejected a connection that appears valid, so it must be created again.
  const errors =
    found.length > 0
      ? found
      : [
          {
            type: 'integration' as const,
            key: required.provider,
            message: `Connect ${target.title} again`,
            action: { type: 'connect' as const, provider: required.provider, provider_name: target.title },
          },
        ]
  const detail = errors.map(({ message }) => message).join('; ')
  return fail('requirements_not_met', { detail, extra: { satisfied: false, errors } })
}
