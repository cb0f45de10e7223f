// Schemas of knowledge entries, and of skills, which are knowledge of type `skill`.
import Type, { type Static } from 'typebox'
import { baseFields, Description, PathText, permissionFields, StringEnum, Timestamp, visibilities } from './common.ts'

export const knowledgeTypes = [
  'skill',
  'concept',
  'observation',
  'reference',
  'preference',
  'person',
  'project',
  'agent-config',
] as const
export type KnowledgeType = (typeof knowledgeTypes)[number]

export const knowledgeLifecycles = ['permanent', 'decay'] as const
export const mutationTypes = ['create', 'update', 'fork', 'import'] as const
export const scopePrefixes = ['git', 'module', 'lang', 'path', 'host'] as const

/** Largest text that `?include=content` includes in a reply. */
export const inlineContentMaxBytes = 256 * 1024

const Text = Type.String({ maxLength: 2048 })
const Url = Type.String({ maxLength: 2048 })
/** Shown as a link, so no other scheme is accepted. */
const SourceUrl = Type.String({ maxLength: 2048, pattern: '^(https?://\\S+)?$' })
const Path = Type.String({ minLength: 1, maxLength: 512, description: 'Relative, with forward slashes' })

export const KnowledgeFile = Type.Object({
  path: Type.Optional(Type.String()),
  uri: Type.Optional(Type.String({ description: 'Readable for some hours without a credential' })),
  size: Type.Optional(Type.Integer()),
  hash: Type.Optional(Type.String({ description: 'SHA-256, hex' })),
  content: Type.Optional(Type.String()),
})
export type KnowledgeFile = Static<typeof KnowledgeFile>

const StringMap = Type.Record(Type.String(), Type.String())

export const KnowledgeVersion = Type.Object({
  ...baseFields,
  knowledge_id: Type.String(),
  content: KnowledgeFile,
  files: Type.Array(KnowledgeFile),
  content_hash: Type.String(),
  description: Type.String(),
  tags: Type.Array(Type.String()),
  scope: Type.Optional(Type.Array(Type.String())),
  metadata: Type.Optional(StringMap),
  origin: Type.Optional(Type.String()),
  generated_by: Type.Optional(Type.String()),
  source_url: Type.Optional(Type.String()),
  mutation_type: Type.Optional(Type.String()),
  version_notes: Type.Optional(Type.String()),
  last_confirmed_at: Type.Optional(Timestamp),
})
export type KnowledgeVersion = Static<typeof KnowledgeVersion>

export const Knowledge = Type.Object({
  ...baseFields,
  ...permissionFields,
  namespace: Type.String(),
  name: Type.String(),
  title: Type.String(),
  description: Type.String(),
  type: StringEnum(knowledgeTypes),
  lifecycle: StringEnum(knowledgeLifecycles),
  repo_url: Type.Optional(Type.String()),
  version_id: Type.String(),
  version: Type.Optional(KnowledgeVersion),
  uses: Type.Integer(),
  installs: Type.Integer(),
})
export type Knowledge = Static<typeof Knowledge>

const NewFile = Type.Object({ path: Path, content: Type.String() })

/** A file that is sent back without content retains its stored content, found by `hash`, else by `path`. */
const StoredOrNewFile = Type.Object({
  path: Path,
  content: Type.Optional(Type.String()),
  hash: Type.Optional(Type.String({ maxLength: 64, description: 'Hash of existing content, if no content is sent' })),
  uri: Type.Optional(Type.Unknown({ description: 'As read; ignored' })),
  size: Type.Optional(Type.Unknown({ description: 'As read; ignored' })),
})
const Files = Type.Array(StoredOrNewFile, { maxItems: 200 })
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { maxItems: 64 })
const ScopeTags = Type.Array(Type.String({ maxLength: 512 }), { maxItems: 64 })

const versionExtras = {
  description: Type.Optional(Type.String({ maxLength: 10_000 })),
  files: Type.Optional(Files),
  tags: Type.Optional(Tags),
  scope: Type.Optional(ScopeTags),
  metadata: Type.Optional(StringMap),
  origin: Type.Optional(Text),
  generated_by: Type.Optional(Text),
  source_url: Type.Optional(SourceUrl),
  mutation_type: Type.Optional(StringEnum(mutationTypes)),
  version_notes: Type.Optional(Type.String({ maxLength: 10_000 })),
}

export const CreateKnowledge = Type.Object({
  name: Type.String(),
  description: Description,
  title: Type.Optional(Text),
  repo_url: Type.Optional(Url),
  type: Type.Optional(StringEnum(knowledgeTypes)),
  lifecycle: Type.Optional(StringEnum(knowledgeLifecycles)),
  version: Type.Object({ content: NewFile, ...versionExtras }),
})
export type CreateKnowledge = Static<typeof CreateKnowledge>

export const UpdateKnowledge = Type.Object({
  description: Type.Optional(Description),
  title: Type.Optional(Text),
  repo_url: Type.Optional(Url),
  type: Type.Optional(StringEnum(knowledgeTypes)),
  lifecycle: Type.Optional(StringEnum(knowledgeLifecycles)),
  version: Type.Optional(
    Type.Object({
      content: Type.Optional(Type.Object({ path: Type.Optional(Path), content: Type.Optional(Type.String()) })),
      ...versionExtras,
    }),
  ),
})
export type UpdateKnowledge = Static<typeof UpdateKnowledge>

export const SetVisibility = Type.Object({ visibility: StringEnum(visibilities) })

export const KnowledgeQuery = Type.Object({ include: Type.Optional(Type.String({ description: '`content`' })) })

export const KnowledgeRefPath = Type.Object({
  namespace: PathText,
  name: Type.String({ minLength: 1, description: 'name[@version]' }),
})
export const KnowledgeVersionPath = Type.Object({
  id: PathText,
  versionId: PathText,
})
export const KnowledgeRefVersionPath = Type.Object({
  namespace: PathText,
  name: PathText,
  versionId: PathText,
})

export const ResourceRef = Type.Object({
  id: Type.String(),
  namespace: Type.String(),
  name: Type.String(),
  type: StringEnum(['knowledge', 'app', 'agent']),
  resource_kind: Type.String(),
  description: Type.String(),
})
export type ResourceRef = Static<typeof ResourceRef>

export const References = Type.Object({
  resource: ResourceRef,
  references: Type.Array(ResourceRef),
  referenced_by: Type.Array(ResourceRef),
})
export type References = Static<typeof References>

export const LineageRef = Type.Object({
  id: Type.String(),
  namespace: Type.String(),
  name: Type.String(),
  description: Type.Optional(Type.String()),
  version_count: Type.Optional(Type.Integer()),
  parent_version_id: Type.Optional(Type.String()),
  versions_since_fork: Type.Optional(Type.Integer()),
})
export type LineageRef = Static<typeof LineageRef>

export const Lineage = Type.Object({
  skill: LineageRef,
  parents: Type.Array(LineageRef),
  siblings: Type.Array(LineageRef),
  forks: Type.Array(LineageRef),
  duplicates: Type.Array(LineageRef),
  fork_depth: Type.Integer(),
})
export type Lineage = Static<typeof Lineage>

const skillTexts = {
  allowed_tools: Type.Optional(Type.String({ maxLength: 10_000 })),
  compatibility: Type.Optional(Text),
  license: Type.Optional(Text),
  context: Type.Optional(Text),
  disable_model_invocation: Type.Optional(Type.Boolean()),
  user_invocable: Type.Optional(Type.Boolean()),
}
export const SkillOnly = Type.Object(skillTexts)
export type SkillOnly = Static<typeof SkillOnly>

export const SkillVersion = Type.Object({
  ...baseFields,
  skill_id: Type.String(),
  instructions: KnowledgeFile,
  files: Type.Array(KnowledgeFile),
  content_hash: Type.String(),
  description: Type.String(),
  tags: Type.Array(Type.String()),
  ...skillTexts,
  source_url: Type.Optional(Type.String()),
  mutation_type: Type.Optional(Type.String()),
  version_notes: Type.Optional(Type.String()),
  metadata: Type.Optional(StringMap),
})
export type SkillVersion = Static<typeof SkillVersion>

export const Skill = Type.Object({
  ...baseFields,
  ...permissionFields,
  namespace: Type.String(),
  name: Type.String(),
  description: Type.String(),
  repo_url: Type.Optional(Type.String()),
  version_id: Type.String(),
  version: Type.Optional(SkillVersion),
  uses: Type.Integer(),
  installs: Type.Integer(),
})
export type Skill = Static<typeof Skill>

const skillBody = {
  instructions: Type.Optional(
    Type.Union([
      Type.String(),
      Type.Object({ path: Type.Optional(Path), content: Type.Optional(Type.String()) }, { additionalProperties: true }),
    ]),
  ),
  files: Type.Optional(Files),
  tags: Type.Optional(Tags),
  category: Type.Optional(Type.String({ maxLength: 64 })),
  repo_url: Type.Optional(Url),
  metadata: Type.Optional(StringMap),
  parent_skill_id: Type.Optional(Type.String({ maxLength: 64 })),
  parent_version_id: Type.Optional(Type.String({ maxLength: 64 })),
  source_url: Type.Optional(SourceUrl),
  version_notes: Type.Optional(Type.String({ maxLength: 10_000 })),
  ...skillTexts,
}

export const PublishSkill = Type.Object({ name: Type.String(), description: Description, ...skillBody })
export type PublishSkill = Static<typeof PublishSkill>

export const UpdateSkill = Type.Object({ description: Type.Optional(Description), ...skillBody })
export type UpdateSkill = Static<typeof UpdateSkill>

export const ResolveSkill = Type.Object({
  ref: Type.String({ minLength: 1, maxLength: 256 }),
  skill: Type.Optional(Type.String({ maxLength: 256 })),
})

const WholeFile = Type.Object({
  path: Type.String(),
  size: Type.Integer(),
  hash: Type.String(),
  content: Type.String(),
})

export const ResolvedSkill = Type.Object({
  source: StringEnum(['store', 'github']),
  namespace: Type.String(),
  name: Type.String(),
  content: Type.String(),
  files: Type.Optional(Type.Array(WholeFile)),
})
export type ResolvedSkill = Static<typeof ResolvedSkill>

export const SkillDownload = Type.Object({
  namespace: Type.String(),
  name: Type.String(),
  version: Type.String(),
  description: Type.String(),
  files: Type.Array(WholeFile),
  source_url: Type.Optional(Type.String()),
  mutation_type: Type.Optional(Type.String()),
  version_notes: Type.Optional(Type.String()),
  parents: Type.Optional(Type.Array(LineageRef)),
})
export type SkillDownload = Static<typeof SkillDownload>

export const SkillContent = Type.Object({ content: Type.String() })

export const StoreSkill = Type.Object({
  id: Type.String(),
  category: Type.String(),
  tags: Type.Optional(Type.Array(Type.String())),
  namespace: Type.String(),
  name: Type.String(),
  description: Type.String(),
  is_featured: Type.Boolean(),
  rank: Type.Integer(),
  has_approved_version: Type.Boolean(),
})
export type StoreSkill = Static<typeof StoreSkill>
