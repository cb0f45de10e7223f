// The public directory of MCP servers, and lookups by slug.
import type { ListRequest, Page } from '@millrace/contract/common'
import { newId } from '@millrace/contract/ids'
import type { McpListing, McpServer } from '@millrace/contract/mcp-servers'
import { connectionStates } from '#connections/credentials/service.ts'
import { type Actor, isMember } from '#platform/core/actor.ts'
import type { Ctx, Platform } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { hasScope } from '#platform/core/scope-checks.ts'
import { runList } from '#platform/tenancy/list/list.ts'
import type { ListSpec } from '#platform/tenancy/list/spec.ts'
import { catalogue } from './directory-catalogue.ts'
import { listingDto, statusOf } from './dto.ts'
import { shown } from './service.ts'
import * as store from './store.ts'

const text = (name: string) => ({ ref: `mcp_directory.${name}`, type: 'text' as const })
const number = (name: string) => ({ ref: `mcp_directory.${name}`, type: 'number' as const })

const listSpec: ListSpec = {
  id: 'mcp_directory.id',
  columns: {
    id: text('id'),
    slug: text('slug'),
    namespace: text('namespace'),
    name: text('name'),
    title: text('title'),
    category: text('category'),
    auth_type: text('auth_type'),
    is_featured: { ref: 'mcp_directory.is_featured', type: 'boolean' },
    rank: number('rank'),
    installs: number('installs'),
    uses: number('uses'),
    created_at: { ref: 'mcp_directory.created_at', type: 'time' },
    updated_at: { ref: 'mcp_directory.updated_at', type: 'time' },
  },
  search: ['slug', 'title', 'description'],
}

export const list = (ctx: Ctx<Actor>, request: ListRequest): Promise<Page<Partial<McpListing>>> =>
  runList(store.selectListings(ctx.db), {
    db: ctx.db,
    spec: listSpec,
    request,
    toItem: (row: store.ListingRow) => listingDto(row, undefined),
    notice: ctx.notice,
  })

const statusFor = async (ctx: Ctx<Actor>, row: store.ListingRow) => {
  if (!isMember(ctx.actor)) return undefined
  const states = await connectionStates(ctx.as(ctx.actor))
  return statusOf(row.auth_type, states.get(`${row.slug}-mcp`))
}

/** The caller's own servers take precedence over the directory, as far as the credential may see them. */
export const get = async (ctx: Ctx<Actor>, slug: string): Promise<McpServer | McpListing> => {
  const { actor, db } = ctx
  if (isMember(actor) && hasScope(actor, 'credentials:read')) {
    const own = await store.findServerBySlug(db, actor.teamId, slug)
    if (own) return shown(ctx.as(actor), own)
  }
  const listing = await store.findListing(db, slug)
  if (!listing) throw fail('not_found', `MCP server ${slug} not found`)
  return listingDto(listing, await statusFor(ctx, listing))
}

/** Synchronizes the directory with the catalog at every start. */
export const seedDirectory = ({ db, now }: Pick<Platform, 'db' | 'now'>): Promise<void> =>
  store.seedListings(
    db,
    catalogue.map((entry, index) => ({ ...entry, id: newId(), rank: index + 1 })),
    'millrace',
    now().toISOString(),
  )
