// The store lists every public app that is neither retired nor delisted.
import type { StoreApp, StoreTag, UpdateListing } from '@millrace/contract/apps'
import type { ListRequest, Page } from '@millrace/contract/common'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import type { Db } from '#platform/db/database.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { runList } from '#platform/tenancy/list/list.ts'
import type { ListSpec } from '#platform/tenancy/list/spec.ts'
import { countTags } from './aliases-store.ts'
import { listingDto } from './dto.ts'
import { assertSearchTerm, tagFilter } from './lookup.ts'
import * as store from './store.ts'
import { tagTitle } from './tags.ts'

/** The minimum number of apps with a tag to list the tag. */
const minApps = 3

export const tags = async (ctx: Ctx<Actor>): Promise<StoreTag[]> =>
  (await countTags(ctx.db, minApps)).map(({ slug, count }) => ({ slug, title: tagTitle(slug), count }))

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

/** Locks the app for a store administrator. */
const lockListed = async (ctx: Ctx, appId: string): Promise<store.AppRow> => {
  const app = await store.lockApp(ctx.db, appId)
  if (!app) throw fail('not_found', 'App not found')
  return app
}

const recordChange = (ctx: Ctx, app: store.AppRow, action: string, meta: Record<string, unknown>): Promise<void> =>
  recordAudit(ctx, action, { resourceType: 'app', resourceId: app.id, teamId: app.team_id, meta })

/** Changes the listing of an app in the store. */
export const setListing = (ctx: Ctx, appId: string, listing: UpdateListing): Promise<StoreApp> =>
  ctx.tx(async (ctx) => {
    const app = await lockListed(ctx, appId)
    const { subcategory, is_featured, rank, delisted } = listing
    const change = { subcategory, is_featured, rank, delisted }
    if (Object.values(change).some((value) => value !== undefined)) {
      await store.updateApp(ctx.db, app.id, change)
      await recordChange(ctx, app, 'app.listing_changed', listing)
    }
    return listingDto(await store.findListing(ctx.db, app.id))
  })

/** Records the version that the store offers; by default the active one. */
export const submitVersion = (ctx: Ctx, appId: string, versionId: string | undefined): Promise<StoreApp> =>
  ctx.tx(async (ctx) => {
    const app = await lockListed(ctx, appId)
    const version = versionId ? (await store.findVersion(ctx.db, app.id, versionId))?.id : (app.version_id ?? undefined)
    if (version === undefined) throw fail('not_found', 'Version not found')
    await store.updateApp(ctx.db, app.id, { submitted_version_id: version })
    await recordChange(ctx, app, 'app.submitted', { version_id: version })
    return listingDto(await store.findListing(ctx.db, app.id))
  })

/** The price definition of an app and the workspace that published it; undefined when the app is free. */
export const priceOfApp = async (db: Db, appId: string): Promise<{ pricing: unknown; team_id: string } | undefined> => {
  const app = await store.findApp(db, appId)
  return app && app.pricing !== null ? app : undefined
}

/** The price definition of the app; null when it is free. */
export const pricingOf = async (ctx: Ctx, appId: string): Promise<unknown> => {
  const app = await store.findApp(ctx.db, appId)
  if (!app) throw fail('not_found', 'App not found')
  return app.pricing
}

export const setPricing = (ctx: Ctx, appId: string, pricing: object): Promise<void> =>
  ctx.tx(async (ctx) => {
    const app = await lockListed(ctx, appId)
    await store.updateApp(ctx.db, app.id, { pricing: JSON.stringify(pricing) })
    await recordChange(ctx, app, 'app.priced', {})
  })
