// The interface of artifacts for other features.
import { type Visibility, visibilities } from '@millrace/contract/common'
import { parseRef } from '@millrace/contract/refs'
import type { Ctx } from '#platform/core/ctx.ts'
import { findTeam } from '#platform/tenancy/team-refs.ts'
import { mayRead } from '#platform/tenancy/visibility.ts'
import * as store from './store.ts'

/** A ref that pins a version that does not exist finds nothing. */
const findByText = async (ctx: Ctx, text: string): Promise<store.ArtifactRow | undefined> => {
  const byId = await store.findArtifact(ctx.db, text)
  const ref = byId ? null : parseRef(text)
  if (!ref || ref.type !== null || ref.function !== null) return byId
  const namespace = ref.namespace ?? (await findTeam(ctx.db, ctx.actor.teamId))?.username
  const row = namespace === undefined ? undefined : await store.findArtifactByRef(ctx.db, namespace, ref.name)
  const isThere = !row || ref.version === null || (await store.findVersion(ctx.db, row.id, ref.version))
  return isThere ? row : undefined
}

/** True if an id or ref names an artifact that the caller may read and whose visibility is at least `visibility`. */
export const isArtifactAtLeast = async (ctx: Ctx, text: string, visibility: string): Promise<boolean> => {
  const row = await findByText(ctx, text)
  if (!row || mayRead(ctx.actor, row) !== 'yes') return false
  const width = (name: string): number => visibilities.indexOf(name as Visibility)
  return width(row.visibility) >= width(visibility)
}
