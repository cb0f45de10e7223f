// Schemas of artifacts: documents that are published in versions and shown in a sandbox.
import Type, { type Static } from 'typebox'
import { Images } from './apps.ts'
import { baseFields, JsonObject, PathText, permissionFields, StringEnum } from './common.ts'

export const artifactTypes = ['html', 'markdown'] as const
export type ArtifactType = (typeof artifactTypes)[number]

export const artifactMaxBytes = 2 * 1024 * 1024

export const ArtifactVersion = Type.Object({
  ...baseFields,
  artifact_id: Type.String(),
  number: Type.Integer(),
  content: Type.Object({ uri: Type.String(), size: Type.Integer(), hash: Type.String() }),
  content_hash: Type.String(),
  md5: Type.String(),
  size_bytes: Type.Integer(),
  label: Type.Optional(Type.String()),
  notes: Type.Optional(Type.String()),
  origin: Type.Optional(Type.String()),
  generated_by: Type.Optional(Type.String()),
  capabilities: Type.Optional(JsonObject),
  created_by_user_id: Type.Optional(Type.String()),
})
export type ArtifactVersion = Static<typeof ArtifactVersion>

export const Artifact = Type.Object({
  ...baseFields,
  ...permissionFields,
  namespace: Type.String(),
  name: Type.String(),
  title: Type.String(),
  description: Type.Optional(Type.String()),
  favicon: Type.Optional(Type.String()),
  type: StringEnum(artifactTypes),
  images: Images,
  version_id: Type.String(),
  version: Type.Optional(ArtifactVersion),
  shared_version_id: Type.Optional(Type.String()),
  capabilities: Type.Optional(JsonObject),
  views: Type.Integer(),
  url: Type.Optional(Type.String()),
})
export type Artifact = Static<typeof Artifact>

const Title = Type.String({ minLength: 1, maxLength: 300, pattern: '\\S' })
const Text = Type.String({ maxLength: 10_000 })
const Favicon = Type.String({ maxLength: 2048 })
const VersionId = Type.String({ maxLength: 64 })

const published = {
  content: Type.String(),
  content_encoding: Type.Optional(StringEnum(['base64', 'utf-8', ''])),
  label: Type.Optional(Type.String({ maxLength: 300 })),
  notes: Type.Optional(Text),
  origin: Type.Optional(Type.String({ maxLength: 2048 })),
  generated_by: Type.Optional(Type.String({ maxLength: 2048 })),
  capabilities: Type.Optional(JsonObject),
  description: Type.Optional(Text),
  favicon: Type.Optional(Favicon),
  images: Type.Optional(Type.Partial(Images)),
  base_version_id: Type.Optional(VersionId),
  force: Type.Optional(Type.Boolean()),
}

export const PublishVersion = Type.Object({ title: Type.Optional(Title), ...published })
export type PublishVersion = Static<typeof PublishVersion>

export const PublishArtifact = Type.Object({
  name: Type.Optional(Type.String({ maxLength: 256 })),
  type: Type.Optional(StringEnum(artifactTypes)),
  title: Title,
  ...published,
})
export type PublishArtifact = Static<typeof PublishArtifact>

export const UpdateArtifact = Type.Object({
  title: Type.Optional(Title),
  description: Type.Optional(Text),
  favicon: Type.Optional(Favicon),
  images: Type.Optional(Type.Partial(Images)),
  shared_version_id: Type.Optional(
    Type.String({ maxLength: 64, description: 'Empty: viewers see the latest version again' }),
  ),
})
export type UpdateArtifact = Static<typeof UpdateArtifact>

export const RenderQuery = Type.Object({
  version: Type.Optional(Type.String({ description: 'Id of a version; default: the published one' })),
  theme: Type.Optional(StringEnum(['light', 'dark'])),
  team: Type.Optional(Type.String({ description: 'Instead of `X-Team-ID`, for frames that cannot send headers' })),
})

export const ArtifactContent = Type.Object({
  artifact_id: Type.String(),
  version_id: Type.String(),
  number: Type.Integer(),
  type: StringEnum(artifactTypes),
  title: Type.String(),
  content: Type.String(),
  content_hash: Type.String(),
  md5: Type.String(),
  size_bytes: Type.Integer(),
})
export type ArtifactContent = Static<typeof ArtifactContent>

export const ArtifactRefPath = Type.Object({
  namespace: PathText,
  name: Type.String({ minLength: 1, description: 'name[@version]' }),
})
export const ArtifactVersionPath = Type.Object({
  id: PathText,
  versionId: PathText,
})
