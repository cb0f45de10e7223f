// Copies an entry: a private fork in the caller's workspace whose first version is the current version of the source.
import { requireWithinLimit } from '#accounts/plans/service.ts'
import { underFreeName } from '#platform/core/copies.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { isFailure, notFound } from '#platform/core/errors.ts'
import { readerWith } from '#platform/core/scope-checks.ts'
import { getOwnTeam, takenNames } from '#platform/tenancy/named-rows.ts'
import type { TeamRef } from '#platform/tenancy/team-refs.ts'
import { mayRead } from '#platform/tenancy/visibility.ts'
import { audit, insertNew, saved } from './changes.ts'
import { type AnyWireForm, type EntryAtVersion, find, textsOf } from './lookup.ts'
import type { VersionInput } from './new-version.ts'

export const duplicate = (ctx: Ctx, form: AnyWireForm, id: string): Promise<EntryAtVersion> =>
  ctx.tx(async (ctx) => {
    const source = await find(ctx, form, id)
    if (mayRead(readerWith(ctx.actor, 'knowledge:read'), source.row) === 'no') throw notFound(form.resource)
    const team = await getOwnTeam(ctx)
    await requireWithinLimit(ctx, 'knowledge_bases')
    const copyId = await insertCopy(ctx, team, source)
    await audit(ctx, 'duplicated', { id: copyId, team_id: team.id }, { from: source.row.id })
    return saved(ctx, copyId)
  })

const insertCopy = async (ctx: Ctx, team: TeamRef, source: EntryAtVersion): Promise<string> => {
  const copy = await copyOf(ctx, source)
  return underFreeName(
    source.row.name,
    (names) => takenNames(ctx.db, 'knowledge', team.username, names),
    (name) =>
      ctx
        .tx((ctx) => insertNew(ctx, team, { ...copy, name }))
        .catch((error: unknown) => {
          if (isFailure(error, 'name_conflict')) return null
          throw error
        }),
  )
}

const copyOf = async (ctx: Ctx, source: EntryAtVersion) => {
  const { row, version } = source
  const [main, ...files] = (await textsOf(ctx, source)).map(({ path, content }) => ({ path, content }))
  return {
    title: row.title,
    description: row.description,
    repo_url: row.repo_url,
    category: row.category,
    type: row.type,
    lifecycle: row.lifecycle,
    parent: { id: row.id, versionId: version.id },
    version: {
      content: main,
      files,
      tags: version.tags,
      scope: version.scope,
      metadata: version.metadata as Record<string, string>,
      origin: version.origin,
      source_url: version.source_url,
      skill: version.skill as VersionInput['skill'],
      mutation_type: 'fork' as const,
    },
  }
}
