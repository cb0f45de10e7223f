// Cache of recently run apps, by the text that named them. Entries may be outdated: a statement that relies on an entry
// includes the stamp of the app and has no effect if the stamp has changed. Therefore changes of apps do not have to
// invalidate the cache.
import { LRUCache } from 'lru-cache'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { perPlatform } from '#platform/core/per-platform.ts'
import type { AppLookup } from './lookup.ts'

export type StampedLookup = AppLookup & { row: { stamp: string } }

const maxEntries = 1_000

const recentAppsOf = perPlatform(() => new LRUCache<string, StampedLookup>({ max: maxEntries }))

export const getRecent = (ctx: Ctx<Actor>, text: string): StampedLookup | undefined => recentAppsOf(ctx).get(text)

/**
 * Bare names are not cached because they depend on the workspace. Aliases are not cached because the stamp of the app
 * does not cover the alias.
 */
export const addRecent = (ctx: Ctx<Actor>, text: string, found: AppLookup): void => {
  const recent = recentAppsOf(ctx)
  if (isStamped(found) && names(found, text)) recent.set(text, found)
  else recent.delete(text)
}

const isStamped = (found: AppLookup): found is StampedLookup => found.row?.stamp !== undefined

const names = ({ row }: StampedLookup, text: string): boolean => {
  const [ref = ''] = text.split(/[@:]/)
  return text === row.id || ref === `${row.namespace}/${row.name}`
}
