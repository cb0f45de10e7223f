// What other features may ask of the index.
import { type Actor, guest } from '#platform/core/actor.ts'
import { readerWith } from '#platform/core/authorise.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { mayRead } from '#platform/tenancy/visibility.ts'
import { searchKinds } from './kinds.ts'
import * as store from './store.ts'

export { countDisagreements, reindex } from './reindex.ts'

const readScopes = new Map(searchKinds.map(({ kind, readScope }) => [kind, readScope]))

const readerOf = (actor: Actor, kind: string): Actor => {
  const scope = readScopes.get(kind)
  return scope ? readerWith(actor, scope) : guest
}

/**
 * Of these, what the caller may be shown under the ordinary rules: an administrator sees no more than any other member, and
 * of a kind whose scope the caller lacks only what everyone sees.
 */
export const readableById = async ({ db, actor }: Ctx<Actor>, ids: readonly string[]) => {
  const found = ids.length === 0 ? [] : await store.findByIds(db, ids)
  return found.filter((resource) => mayRead(readerOf(actor, resource.kind), resource) === 'yes')
}

/** Whatever can be found, as others refer to it. */
export type IndexedResource = Awaited<ReturnType<typeof readableById>>[number]

/**
 * What somebody who writes may mean by these names; resources of different kinds may share one. Nothing of it is shown to
 * the writer, so the scopes to read do not matter: a key that only writes links entries as anybody does.
 */
export const readableByRef = async (
  { db, actor }: Ctx<Actor>,
  refs: readonly { namespace: string; name: string }[],
): Promise<IndexedResource[]> => {
  const found = refs.length === 0 ? [] : await store.findByRefs(db, refs)
  return found.filter((resource) => mayRead(actor, resource) === 'yes')
}
