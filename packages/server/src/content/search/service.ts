// The interface of the index for other features.
import { type Actor, guest } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { readerWith } from '#platform/core/scope-checks.ts'
import { mayRead } from '#platform/tenancy/visibility.ts'
import { searchKinds } from './kinds.ts'
import * as store from './store.ts'

export { embedTexts } from './embedding/embed-texts.ts'
export { countDisagreements, reindex } from './reindex.ts'

const readScopes = new Map(searchKinds.map(({ kind, readScope }) => [kind, readScope]))

const readerOf = (actor: Actor, kind: string): Actor => {
  const scope = readScopes.get(kind)
  return scope ? readerWith(actor, scope) : guest
}

/**
 * The documents that the caller may read without an administrator's bypass. Of kinds whose scope the caller lacks, only
 * public documents.
 */
export const readableById = async ({ db, actor }: Ctx<Actor>, ids: readonly string[]) => {
  const found = ids.length === 0 ? [] : await store.findByIds(db, ids)
  return found.filter((resource) => mayRead(readerOf(actor, resource.kind), resource) === 'yes')
}

/** An indexed resource as other features refer to it. */
export type IndexedResource = Awaited<ReturnType<typeof readableById>>[number]

/**
 * The resources that a writer may mean by these names; several kinds may share a name. Scopes for reading do not matter
 * because the result is not shown to the writer: a key with only the write scope links entries like any other.
 */
export const readableByRef = async (
  { db, actor }: Ctx<Actor>,
  refs: readonly { namespace: string; name: string }[],
): Promise<IndexedResource[]> => {
  const found = refs.length === 0 ? [] : await store.findByRefs(db, refs)
  return found.filter((resource) => mayRead(actor, resource) === 'yes')
}
