// The store: what everyone may browse. Every public app that is not retired is in it, unless it was taken off.
import type { StoreApp, StoreTag } from '@millrace/contract/apps'
import type { ListRequest, Page } from '@millrace/contract/common'
import { type Actor, isPlatformAdmin } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { fail } from '../core/errors.ts'
import { recordAudit } from '../db/audit.ts'
import { runList } from '../db/list/list.ts'
import type { ListSpec } from '../db/list/spec.ts'
import { countTags } from './aliases-store.ts'
import { listingDto } from './dto.ts'
import { assertSearchTerm, tagFilter } from './lookup.ts'
import * as store from './store.ts'
import { tagTitle } from './tags.ts'

/** A tag is worth browsing by when this many apps carry it. */
const leastApps = 3

export const tags = async (ctx: Ctx<Actor>): Promise<StoreTag[]> =>
  (await countTags(ctx.db, leastApps)).map(({ slug, count }) => ({ slug, title: tagTitle(slug), count }))

const listingSpec: ListSpec = {
  id: 'apps.id',
  columns: {
    category: { ref: 'apps.category', type: 'text' },
    subcategory: { ref: 'apps.subcategory', type: 'text' },
    is_featured: { ref: 'apps.is_featured', type: 'boolean' },
    rank: { ref: 'apps.rank', type: 'number' },
    namespace: { ref: 'apps.namespace', type: 'text' },
    name: { ref: 'apps.name', type: 'text' },
    title: { ref: 'apps.title', type: 'text' },
    description: { ref: 'apps.description', type: 'text' },
    created_at: { ref: 'apps.created_at', type: 'time' },
  },
  search: ['namespace', 'name', 'title', 'description', 'category'],
  custom: { tag: tagFilter },
  defaultSort: [
    { field: 'rank', dir: 'desc' },
    { field: 'created_at', dir: 'desc' },
  ],
}

export const list = async (ctx: Ctx<Actor>, request: ListRequest): Promise<Page<Partial<StoreApp>>> => {
  assertSearchTerm(request)
  return runList(store.selectListings(ctx.db), {
    db: ctx.db,
    spec: listingSpec,
    request,
    toItem: listingDto,
    notice: ctx.notice,
  })
}

export type Listing = { subcategory?: string; is_featured?: boolean; rank?: number; delisted?: boolean }

/** How the store shows an app; for those who run it. */
export const setListing = (ctx: Ctx, appId: string, listing: Listing): Promise<void> =>
  ctx.tx(async (ctx) => {
    if (!isPlatformAdmin(ctx.actor)) throw fail('forbidden', 'Store listings are kept by platform administrators')
    const app = await store.lockApp(ctx.db, appId)
    if (!app) throw fail('not_found', 'No such app')
    await store.updateApp(ctx.db, app.id, listing)
    await recordAudit(ctx, 'app.listing_changed', {
      resourceType: 'app',
      resourceId: app.id,
      teamId: app.team_id,
      meta: listing,
    })
  })
