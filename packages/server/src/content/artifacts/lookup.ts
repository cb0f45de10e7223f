// Finds artifacts and the version that a reader gets. If a version is shared, callers without write access see only
// that version. Nothing here writes except the view counter.
import type { Artifact, ArtifactContent, ArtifactVersion } from '@millrace/contract/artifacts'
import type { ListRequest, Page } from '@millrace/contract/common'
import { parseRef } from '@millrace/contract/refs'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { readerWith } from '#platform/core/scope-checks.ts'
import { runList } from '#platform/tenancy/list/list.ts'
import { runOwnedList } from '#platform/tenancy/list/owned-list.ts'
import { columnsOf, type ListSpec, namedColumns } from '#platform/tenancy/list/spec.ts'
import { assertReadable, listedWith, listReach } from '#platform/tenancy/private-access.ts'
import { mayWrite } from '#platform/tenancy/visibility.ts'
import { artifactDto, capabilitiesOf, versionDto } from './dto.ts'
import * as store from './store.ts'

export type ArtifactAtVersion = { row: store.ArtifactRow; version: store.VersionRow }

const readable = async (ctx: Ctx<Actor>, id: string): Promise<store.ArtifactRow> =>
  assertReadable(ctx, await store.findArtifact(ctx.db, id), 'artifact')

/** The only version that a viewer may see; null for any. A credential without the write scope counts as a viewer. */
const pinned = (ctx: Ctx<Actor>, row: store.ArtifactRow): string | null =>
  mayWrite(readerWith(ctx.actor, 'artifacts:write'), row) === 'no' ? row.shared_version_id : null

const versionOf = async (ctx: Ctx<Actor>, row: store.ArtifactRow, requested: string): Promise<ArtifactAtVersion> => {
  const version = await store.findVersion(ctx.db, row.id, requested)
  const only = pinned(ctx, row)
  if (!version || (only !== null && only !== version.id)) throw fail('not_found', 'Version not found')
  return { row, version }
}

/** Writers get the newest version, viewers the shared one. */
export const find = async (ctx: Ctx<Actor>, id: string): Promise<ArtifactAtVersion> => {
  const row = await readable(ctx, id)
  return versionOf(ctx, row, pinned(ctx, row) ?? row.version_id)
}

/** Without an explicit version, everyone gets the shared one. */
const shown = (ctx: Ctx<Actor>, row: store.ArtifactRow, requested: string | null): Promise<ArtifactAtVersion> =>
  versionOf(ctx, row, requested || row.shared_version_id || row.version_id)

export const findByRef = async (ctx: Ctx<Actor>, namespace: string, name: string): Promise<ArtifactAtVersion> => {
  const ref = parseRef(`${namespace}/${name}`)
  if (!ref || ref.function !== null) throw fail('not_found', 'Artifact not found')
  const row = await assertReadable(ctx, await store.findArtifactByRef(ctx.db, namespace, ref.name), 'artifact')
  return shown(ctx, row, ref.version)
}

export const findVersion = async (ctx: Ctx<Actor>, id: string, versionId: string): Promise<ArtifactAtVersion> =>
  versionOf(ctx, await readable(ctx, id), versionId)

export const findShown = async (ctx: Ctx<Actor>, id: string, versionId: string | null): Promise<ArtifactAtVersion> =>
  shown(ctx, await readable(ctx, id), versionId)

export const sourceOf = async (ctx: Ctx<Actor>, { row, version }: ArtifactAtVersion): Promise<string> => {
  const bytes = await store.findContent(ctx.db, row.id, version.id)
  if (!bytes) throw fail('internal_error', { cause: new Error('A version has no content') })
  return bytes.toString('utf8')
}

export const contentOf = async (ctx: Ctx<Actor>, found: ArtifactAtVersion): Promise<ArtifactContent> => {
  const { row, version } = found
  const { number, content_hash, md5, size_bytes } = version
  return {
    artifact_id: row.id,
    version_id: version.id,
    number,
    type: row.type,
    title: row.title,
    content: await sourceOf(ctx, found),
    content_hash,
    md5,
    size_bytes,
  }
}

const column = columnsOf('artifacts')

const listSpec: ListSpec = {
  id: 'artifacts.id',
  columns: {
    ...namedColumns('artifacts'),
    description: column('description'),
    type: column('type'),
    views: column('views', 'number'),
  },
  search: ['namespace', 'name', 'title', 'description'],
}

export const list = async (ctx: Ctx<Actor>, request: ListRequest): Promise<Page<Partial<Artifact>>> => {
  const reach = await listReach(ctx, request, 'artifact')
  const seen = store.selectArtifacts(ctx.db).where(listedWith(ctx.actor, 'artifacts', reach, request.permissions))
  return runOwnedList(seen, {
    db: ctx.db,
    spec: listSpec,
    request,
    toItem: (row) => ({ ...artifactDto(ctx, row, undefined), version_id: pinned(ctx, row) ?? row.version_id }),
    notice: ctx.notice,
    embed: async (rows, items) => {
      const isRequested = (field: string): boolean => !request.fields?.length || request.fields.includes(field)
      if (rows.length === 0 || !(isRequested('version') || isRequested('capabilities'))) return
      const wanted = rows.map((row) => pinned(ctx, row) ?? row.version_id)
      const versions = new Map((await store.findVersions(ctx.db, wanted)).map((version) => [version.id, version]))
      for (const [index, item] of items.entries()) {
        const version = versions.get(wanted[index] ?? '')
        if (version && isRequested('version')) item.version = versionDto(ctx, version)
        if (version && isRequested('capabilities')) Object.assign(item, capabilitiesOf(version))
      }
    },
  })
}

const versionsSpec: ListSpec = {
  id: 'artifact_versions.id',
  columns: {
    id: { ref: 'artifact_versions.id', type: 'text' },
    number: { ref: 'artifact_versions.number', type: 'number' },
    label: { ref: 'artifact_versions.label', type: 'text' },
    created_at: { ref: 'artifact_versions.created_at', type: 'time' },
  },
  search: ['label'],
  defaultSort: [{ field: 'number', dir: 'desc' }],
}

export const listVersions = async (
  ctx: Ctx<Actor>,
  id: string,
  request: ListRequest,
): Promise<Page<Partial<ArtifactVersion>>> => {
  const row = await readable(ctx, id)
  const only = pinned(ctx, row)
  const versions = store.selectVersions(ctx.db, row.id)
  return runList(only === null ? versions : versions.where('artifact_versions.id', '=', only), {
    db: ctx.db,
    spec: versionsSpec,
    request,
    toItem: (version) => versionDto(ctx, version),
    notice: ctx.notice,
  })
}
