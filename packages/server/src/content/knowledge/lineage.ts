// Ancestors, forks and siblings of an entry. Readers see only entries that they may read without an administrator's
// bypass.
import type { Lineage, LineageRef } from '@millrace/contract/knowledge'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { mayRead, readableBy } from '#platform/tenancy/visibility.ts'
import * as lineage from './lineage-store.ts'
import { type AnyWireForm, findReadable } from './lookup.ts'
import { type EntryRow, findEntry } from './store.ts'
import { countVersions } from './versions-store.ts'

const refDto = ({ id, namespace, name, description }: EntryRow): LineageRef => ({ id, namespace, name, description })

/** The direct parent, with the number of its newer versions. */
export const parentsOf = async (ctx: Ctx<Actor>, row: EntryRow): Promise<LineageRef[]> => {
  const parent = row.parent_id === null ? undefined : await findEntry(ctx.db, row.parent_id)
  if (!parent || row.parent_version_id === null || mayRead(ctx.actor, parent) !== 'yes') return []
  const since = await lineage.countVersionsSince(ctx.db, parent.id, row.parent_version_id)
  return [{ ...refDto(parent), parent_version_id: row.parent_version_id, versions_since_fork: since }]
}

export const lineageOf = async (ctx: Ctx<Actor>, form: AnyWireForm, id: string): Promise<Lineage> => {
  const row = await findReadable(ctx, form, id)
  const readable = readableBy(ctx.actor, 'knowledge')
  const siblings = row.parent_id === null ? [] : await lineage.findForks(ctx.db, row.parent_id, readable)
  const forks = await lineage.findForks(ctx.db, row.id, readable)
  const duplicates = await lineage.findSameContent(ctx.db, row, readable)
  return {
    skill: { ...refDto(row), version_count: await countVersions(ctx.db, row.id) },
    parents: await parentsOf(ctx, row),
    siblings: siblings.filter((sibling) => sibling.id !== row.id).map(refDto),
    forks: await Promise.all(
      forks.map(async (fork) => ({
        ...refDto(fork),
        ...(fork.parent_version_id === null
          ? {}
          : {
              parent_version_id: fork.parent_version_id,
              versions_since_fork: await lineage.countVersionsSince(ctx.db, row.id, fork.parent_version_id),
            }),
      })),
    ),
    duplicates: duplicates.map(refDto),
    fork_depth: await lineage.countAncestors(ctx.db, row.id),
  }
}
