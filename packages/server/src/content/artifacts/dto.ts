// Artifact rows as wire objects, and the tag that identifies the state a reader saw.
import { createHash } from 'node:crypto'
import type { Images } from '@millrace/contract/apps'
import type { Artifact, ArtifactVersion } from '@millrace/contract/artifacts'
import { shortId } from '@millrace/contract/ids'
import { contentLink } from '#platform/blobs/content-links.ts'
import { artifactShortId } from './names.ts'
import type { ArtifactRow, VersionRow } from './store.ts'

/**
 * Hash of the names, visibility, versions and the shown version of an artifact: every change by a user changes the tag.
 * Views and renewed content addresses do not.
 */
export const tagOf = (row: ArtifactRow, shownVersionId: string): string => {
  const { views: _, ...rest } = row
  return createHash('sha256')
    .update(JSON.stringify([rest, shownVersionId]))
    .digest('hex')
    .slice(0, 32)
}

/** The values that signed addresses are built from. */
export type Links = { settings: { BASE_URL: string }; uploadKey: Uint8Array; now: () => Date }

export const sourcePath = (artifactId: string, versionId: string): string =>
  `/artifacts/${artifactId}/versions/${versionId}/source`

const given = <T extends Record<string, string>>(texts: T): Partial<T> =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')) as Partial<T>

/** Capabilities of the shown version, and therefore of the artifact. */
export const capabilitiesOf = ({ capabilities }: VersionRow) =>
  Object.keys(capabilities as object).length === 0 ? {} : { capabilities: capabilities as Record<string, unknown> }

export const versionDto = (links: Links, row: VersionRow): ArtifactVersion => {
  const path = sourcePath(row.artifact_id, row.id)
  return {
    id: row.id,
    short_id: shortId(row.id),
    created_at: row.created_at,
    updated_at: row.created_at,
    deleted_at: null,
    artifact_id: row.artifact_id,
    number: row.number,
    content: {
      uri: contentLink(links.settings.BASE_URL, links.uploadKey, path, links.now().getTime()),
      size: row.size_bytes,
      hash: row.content_hash,
    },
    content_hash: row.content_hash,
    md5: row.md5,
    size_bytes: row.size_bytes,
    ...given({ label: row.label, notes: row.notes, origin: row.origin, generated_by: row.generated_by }),
    ...capabilitiesOf(row),
    created_by_user_id: row.created_by,
  }
}

export const artifactDto = (links: Links, row: ArtifactRow, version: VersionRow | undefined): Artifact => ({
  id: row.id,
  short_id: artifactShortId(row.id),
  created_at: row.created_at,
  updated_at: row.updated_at,
  deleted_at: row.deleted_at,
  user_id: row.user_id,
  user: null,
  team_id: row.team_id,
  team: null,
  visibility: row.visibility,
  namespace: row.namespace,
  name: row.name,
  title: row.title,
  ...given({ description: row.description, favicon: row.favicon }),
  type: row.type,
  images: { card: '', thumbnail: '', banner: '', ...(row.images as Partial<Images>) },
  version_id: version?.id ?? row.version_id,
  ...(version ? { version: versionDto(links, version), ...capabilitiesOf(version) } : {}),
  ...(row.shared_version_id === null ? {} : { shared_version_id: row.shared_version_id }),
  views: row.views,
  url: `${links.settings.BASE_URL.replace(/\/+$/, '')}/artifacts/${row.id}/render`,
})
