// What other features may ask of artifacts.
import { type Visibility, visibilities } from '@millrace/contract/common'
import { parseRef } from '@millrace/contract/refs'
import type { Ctx } from '#platform/core/ctx.ts'
import { findTeam } from '#platform/tenancy/team-refs.ts'
import { mayRead } from '#platform/tenancy/visibility.ts'
import * as store from './store.ts'

/** A ref that pins a version names nothing when there is no such version. */
const findByText = async (ctx: Ctx, text: string): Promise<store.ArtifactRow | undefined> => {
  const byId = await store.findArtifact(ctx.db, text)
  const ref = byId ? null : parseRef(text)
  if (!ref || ref.type !== null || ref.function !== null) return byId
  const namespace = ref.namespace ?? (await findTeam(ctx.db, ctx.actor.teamId))?.username
  const row = namespace === undefined ? undefined : await store.findArtifactByRef(ctx.db, namespace, ref.name)
  const isThere = !row || ref.version === null || (await store.findVersion(ctx.db, row.id, ref.version))
  return isThere ? row : undefined
}

/** Whether an id or ref names an artifact that the caller may read and that at least as many people see as `visibility` says. */
export const isArtifactAtLeast = async (ctx: Ctx, text: string, visibility: string): Promise<boolean> => {
  const row = await findByText(ctx, text)
  if (!row || mayRead(ctx.actor, row) !== 'yes') return false
  const width = (name: string): number => visibilities.indexOf(name as Visibility)
  return width(row.visibility) >= width(visibility)
}
