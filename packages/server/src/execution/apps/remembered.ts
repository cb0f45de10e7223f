// Apps that were run a moment ago, by the text that named them. What is remembered may be out of date: whoever acts on it
// says so with the app's stamp in the statement that acts, and that statement does nothing when the stamp is no longer
// right. Nothing has to be told here when an app changes.
import { LRUCache } from 'lru-cache'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { perPlatform } from '#platform/core/per-platform.ts'
import type { Found } from './lookup.ts'

export type StampedFound = Found & { row: { stamp: string } }

const maxRemembered = 1_000

const rememberedBy = perPlatform(() => new LRUCache<string, StampedFound>({ max: maxRemembered }))

export const recall = (ctx: Ctx<Actor>, text: string): StampedFound | undefined => rememberedBy(ctx).get(text)

/** A bare name means another app in every workspace, and behind an alias the app itself says nothing of the alias. */
export const remember = (ctx: Ctx<Actor>, text: string, found: Found): void => {
  const remembered = rememberedBy(ctx)
  if (isStamped(found) && names(found, text)) remembered.set(text, found)
  else remembered.delete(text)
}

const isStamped = (found: Found): found is StampedFound => found.row?.stamp !== undefined

const names = ({ row }: StampedFound, text: string): boolean => {
  const [ref = ''] = text.split(/[@:]/)
  return text === row.id || ref === `${row.namespace}/${row.name}`
}
