// Knowledge rows as wire objects, with the field names of entries and of skills.
import { shortId } from '@millrace/contract/ids'
import type {
  Knowledge,
  KnowledgeFile,
  KnowledgeVersion,
  Skill,
  SkillOnly,
  SkillVersion,
  StoreSkill,
} from '@millrace/contract/knowledge'
import { contentLink } from '#platform/blobs/content-links.ts'
import { resourceFields } from '#platform/tenancy/resource.ts'
import type { EntryRow, ListingRow } from './store.ts'
import type { VersionRow } from './versions-store.ts'

/** A stored file of a version. */
export type StoredFile = { path: string; size: number; hash: string }

export const filesOf = (version: VersionRow): [StoredFile, ...StoredFile[]] =>
  version.files as [StoredFile, ...StoredFile[]]

/** The values that signed addresses are built from. */
export type Links = { settings: { BASE_URL: string }; uploadKey: Uint8Array; now: () => Date }

export const contentPath = (knowledgeId: string, hash: string): string => `/knowledge/${knowledgeId}/contents/${hash}`

const fileDto = (links: Links, knowledgeId: string, { path, size, hash }: StoredFile): KnowledgeFile => ({
  path,
  uri: contentLink(links.settings.BASE_URL, links.uploadKey, contentPath(knowledgeId, hash), links.now().getTime()),
  size,
  hash,
})

/** Omits empty texts and maps. */
const given = <T extends Record<string, unknown>>(fields: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) =>
      Array.isArray(value)
        ? value.length > 0
        : typeof value === 'object'
          ? Object.keys(value ?? {}).length > 0
          : value !== '',
    ),
  ) as Partial<T>

const baseOf = (row: VersionRow) => ({
  id: row.id,
  short_id: shortId(row.id),
  created_at: row.created_at,
  updated_at: row.created_at,
  deleted_at: null,
})

const provenanceOf = ({ source_url, mutation_type, version_notes }: VersionRow) =>
  given({ source_url, mutation_type, version_notes })

export const versionDto = (links: Links, row: VersionRow, lifecycle: EntryRow['lifecycle']): KnowledgeVersion => {
  const [main, ...rest] = filesOf(row)
  return {
    ...baseOf(row),
    knowledge_id: row.knowledge_id,
    content: fileDto(links, row.knowledge_id, main),
    files: rest.map((file) => fileDto(links, row.knowledge_id, file)),
    content_hash: row.content_hash,
    description: row.description,
    tags: row.tags,
    ...given({ scope: row.scope, metadata: row.metadata as Record<string, string> }),
    ...given({ origin: row.origin, generated_by: row.generated_by }),
    ...provenanceOf(row),
    ...(lifecycle === 'decay' ? { last_confirmed_at: row.last_confirmed_at } : {}),
  }
}

export const skillVersionDto = (links: Links, row: VersionRow): SkillVersion => {
  const [main, ...rest] = filesOf(row)
  return {
    ...baseOf(row),
    skill_id: row.knowledge_id,
    instructions: fileDto(links, row.knowledge_id, main),
    files: rest.map((file) => fileDto(links, row.knowledge_id, file)),
    content_hash: row.content_hash,
    description: row.description,
    tags: row.tags,
    ...(row.skill as SkillOnly),
    ...provenanceOf(row),
    ...given({ metadata: row.metadata as Record<string, string> }),
  }
}

const ownedFields = (row: EntryRow) => ({
  ...resourceFields(row),
  deleted_at: row.deleted_at,
  visibility: row.visibility,
  namespace: row.namespace,
  name: row.name,
  description: row.description,
  ...given({ repo_url: row.repo_url }),
  uses: row.uses,
  installs: row.installs,
})

export const entryDto = (links: Links, row: EntryRow, version: VersionRow | undefined): Knowledge => ({
  ...ownedFields(row),
  title: row.title || row.name,
  type: row.type,
  lifecycle: row.lifecycle,
  version_id: version?.id ?? row.version_id,
  ...(version ? { version: versionDto(links, version, row.lifecycle) } : {}),
})

export const skillDto = (links: Links, row: EntryRow, version: VersionRow | undefined): Skill => ({
  ...ownedFields(row),
  version_id: version?.id ?? row.version_id,
  ...(version ? { version: skillVersionDto(links, version) } : {}),
})

export const listingDto = (row: ListingRow): StoreSkill => ({
  id: row.id,
  category: row.category || 'other',
  ...given({ tags: row.tags }),
  namespace: row.namespace,
  name: row.name,
  description: row.description,
  is_featured: row.is_featured,
  rank: row.rank,
  has_approved_version: true,
})
