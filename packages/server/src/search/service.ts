// What other features may ask of the index.
import type { Actor } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { mayRead } from '../db/visibility.ts'
import * as store from './store.ts'

export { countDisagreements, reindex } from './reindex.ts'

/** Of these, what the caller may read under the ordinary rules: an administrator sees no more than any other member. */
export const readableById = async ({ db, actor }: Ctx<Actor>, ids: readonly string[]) => {
  const found = ids.length === 0 ? [] : await store.findByIds(db, ids)
  return found.filter((resource) => mayRead(actor, resource) === 'yes')
}

/** Whatever can be found, as others refer to it. */
export type IndexedResource = Awaited<ReturnType<typeof readableById>>[number]

/** The same by name; resources of different kinds may share one. */
export const readableByRef = async (
  { db, actor }: Ctx<Actor>,
  refs: readonly { namespace: string; name: string }[],
): Promise<IndexedResource[]> => {
  const found = refs.length === 0 ? [] : await store.findByRefs(db, refs)
  return found.filter((resource) => mayRead(actor, resource) === 'yes')
}
