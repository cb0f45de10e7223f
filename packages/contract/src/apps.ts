// Schemas of apps: the app, its versions and functions, deployments, licenses and the store.
import Type, { type Static } from 'typebox'
import {
  baseFields,
  Description,
  IdPath,
  Json,
  JsonObject,
  Notice,
  Nullable,
  PathText,
  permissionFields,
  StringEnum,
  Timestamp,
} from './common.ts'

export const appCategories = [
  'image',
  'video',
  'audio',
  'text',
  'chat',
  '3d',
  'flow',
  'decision',
  'other',
  'social',
  'utilities',
  'multimodal',
] as const
export const appStatuses = ['active', 'maintenance', 'deprecated', 'retired'] as const
export const appVisibilities = ['private', 'team', 'public'] as const
export const gpuTypes = ['any', 'none', 'nvidia', 'amd', 'intel', 'apple'] as const
export const functionKinds = ['run', 'stream'] as const
export const kernels = ['python-3.10', 'python-3.11', 'python-3.12', 'node-22'] as const

export type AppCategory = (typeof appCategories)[number]
export type AppVisibility = (typeof appVisibilities)[number]
export type FunctionKind = (typeof functionKinds)[number]

export const Images = Type.Object({ card: Type.String(), thumbnail: Type.String(), banner: Type.String() })
export type Images = Static<typeof Images>

export const AppFunction = Type.Object({
  name: Type.String(),
  description: Type.Optional(Type.String()),
  input_schema: Json,
  output_schema: Json,
  kind: StringEnum(functionKinds),
  capabilities: Type.Optional(Type.Array(Type.String())),
})
export type AppFunction = Static<typeof AppFunction>

export const AppResources = Type.Object({
  gpu: Type.Object({
    count: Type.Integer(),
    vram: Type.Integer({ description: 'Bytes per GPU' }),
    type: StringEnum(gpuTypes),
  }),
  ram: Type.Integer({ description: 'Bytes' }),
})
export type AppResources = Static<typeof AppResources>

export const AppVariant = Type.Object({
  name: Type.String(),
  order: Type.Integer(),
  resources: AppResources,
  env: Type.Record(Type.String(), Type.String()),
  python: Type.String(),
})
export type AppVariant = Static<typeof AppVariant>

export const SecretRequirement = Type.Object({
  key: Type.String({ minLength: 1, maxLength: 128, pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }),
  description: Type.Optional(Type.String({ maxLength: 1000 })),
  optional: Type.Optional(Type.Boolean()),
})
export type SecretRequirement = Static<typeof SecretRequirement>

export const CredentialRequirement = Type.Object({
  provider: Type.Optional(Type.String({ maxLength: 128 })),
  name: Type.Optional(Type.String({ maxLength: 200 })),
  website: Type.Optional(Type.String({ maxLength: 2048 })),
  key: Type.Optional(Type.String({ maxLength: 128 })),
  description: Type.Optional(Type.String({ maxLength: 1000 })),
  optional: Type.Optional(Type.Boolean()),
  secrets: Type.Optional(Type.Array(Json, { maxItems: 50 })),
  scopes: Type.Optional(Type.Array(Type.String({ maxLength: 512 }), { maxItems: 100 })),
})
export type CredentialRequirement = Static<typeof CredentialRequirement>

export const AppVersion = Type.Object({
  ...baseFields,
  metadata: JsonObject,
  repository: Type.String(),
  checksum: Type.String(),
  kernel: Type.String(),
  setup_schema: Json,
  input_schema: Json,
  output_schema: Json,
  functions: Type.Record(Type.String(), AppFunction),
  default_function: Type.String(),
  variants: Type.Record(Type.String(), AppVariant),
  env: Type.Record(Type.String(), Type.String()),
  resources: AppResources,
  required_secrets: Type.Array(SecretRequirement),
  required_integrations: Type.Array(CredentialRequirement),
  required_credentials: Type.Array(CredentialRequirement),
  flow_version_id: Type.Optional(Type.String()),
  flow_version: Type.Optional(Json),
  ui: Type.Optional(Type.Object({ artifact: Type.String() })),
  warnings: Type.Optional(Type.Array(Notice, { description: 'Only in the reply that registered the version' })),
})
export type AppVersion = Static<typeof AppVersion>

export const App = Type.Object({
  ...baseFields,
  ...permissionFields,
  namespace: Type.String(),
  name: Type.String(),
  title: Type.String(),
  description: Type.String(),
  agent_description: Type.String(),
  category: StringEnum(appCategories),
  tags: Type.Optional(Type.Array(Type.String())),
  images: Images,
  version_id: Type.String({ description: 'Empty until a version is active' }),
  version: Type.Optional(Nullable(AppVersion)),
  resolved_function: Type.Optional(Type.String({ description: 'Only in lookups by ref' })),
  status: StringEnum(appStatuses),
  status_message: Type.Optional(Type.String()),
  status_changed_at: Type.Optional(Timestamp),
})
export type App = Static<typeof App>

const Title = Type.String({ maxLength: 200 })
// The service checks the character limit and names the field; this schema only bounds the bytes.
const LongText = Type.String({ maxLength: 20_000 })
const Category = StringEnum(['', ...appCategories])
/** Empty, or a URL that a browser can display without executing it. */
const ImageUrl = Type.String({ maxLength: 2048, pattern: '^(https?://\\S+)?$' })
const ImagesInput = Type.Object({
  card: Type.Optional(ImageUrl),
  thumbnail: Type.Optional(ImageUrl),
  banner: Type.Optional(ImageUrl),
})
const Tags = Type.Array(Type.String(), { maxItems: 100 })

const ResourcesInput = Type.Object({
  gpu: Type.Optional(
    Type.Object({
      count: Type.Optional(Type.Integer({ minimum: 0, maximum: 64 })),
      vram: Type.Optional(Type.Integer({ minimum: 0, maximum: 1e15 })),
      type: Type.Optional(StringEnum(['', ...gpuTypes])),
    }),
  ),
  ram: Type.Optional(Type.Integer({ minimum: 0, maximum: 1e15 })),
})
export type ResourcesInput = Static<typeof ResourcesInput>

const FunctionInput = Type.Object({
  name: Type.Optional(Type.String()),
  description: Type.Optional(Type.String({ maxLength: 2000 })),
  input_schema: Type.Optional(Json),
  output_schema: Type.Optional(Json),
  kind: Type.Optional(StringEnum(['', ...functionKinds])),
  capabilities: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 32 })),
})

const VariantInput = Type.Object({
  name: Type.Optional(Type.String({ maxLength: 64 })),
  order: Type.Optional(Type.Integer()),
  resources: Type.Optional(ResourcesInput),
  env: Type.Optional(JsonObject),
  python: Type.Optional(Type.String({ maxLength: 32 })),
})

export const AppVersionInput = Type.Object({
  metadata: Type.Optional(JsonObject),
  repository: Type.Optional(Type.String({ maxLength: 2048 })),
  kernel: Type.Optional(Type.String({ maxLength: 32 })),
  setup_schema: Type.Optional(Json),
  input_schema: Type.Optional(Json),
  output_schema: Type.Optional(Json),
  functions: Type.Optional(Type.Record(Type.String(), FunctionInput)),
  default_function: Type.Optional(Type.String({ maxLength: 64 })),
  variants: Type.Optional(Type.Record(Type.String(), VariantInput)),
  env: Type.Optional(JsonObject),
  required_secrets: Type.Optional(Type.Array(SecretRequirement, { maxItems: 100 })),
  required_integrations: Type.Optional(Type.Array(CredentialRequirement, { maxItems: 100 })),
  required_credentials: Type.Optional(Type.Array(CredentialRequirement, { maxItems: 100 })),
  resources: Type.Optional(ResourcesInput),
})
export type AppVersionInput = Static<typeof AppVersionInput>

const editableFields = {
  title: Type.Optional(Title),
  description: Type.Optional(Description),
  agent_description: Type.Optional(LongText),
  category: Type.Optional(Category),
  images: Type.Optional(ImagesInput),
  tags: Type.Optional(Tags),
}

export const DeployApp = Type.Object({
  id: Type.Optional(Type.String({ description: 'Deploys a new version of this app' })),
  namespace: Type.Optional(Type.String({ maxLength: 64, description: 'Only honored for platform administrators' })),
  name: Type.String({ minLength: 1, maxLength: 64 }),
  ...editableFields,
  version: Type.Optional(AppVersionInput),
  preserve_current_version: Type.Optional(
    Type.Boolean({ description: 'Stages the version: the active version does not change' }),
  ),
})
export type DeployApp = Static<typeof DeployApp>

/** The service checks other keys, because it distinguishes protected from unknown ones. */
export const UpdateApp = Type.Object(editableFields, { additionalProperties: true })
export type UpdateApp = Static<typeof UpdateApp>

export const SetAppStatus = Type.Object({
  status: StringEnum(appStatuses),
  message: Type.Optional(Type.String({ maxLength: 1000 })),
})
export type SetAppStatus = Static<typeof SetAppStatus>

export const SetAppVisibility = Type.Object({ visibility: StringEnum(appVisibilities) })

export const TransferTo = Type.Object({ team_id: Type.String({ minLength: 1, maxLength: 64 }) })

export const AppRefPath = Type.Object({
  namespace: PathText,
  name: Type.String({ minLength: 1, description: 'name[@version][:function]' }),
})

export const VersionPath = Type.Object({
  ...IdPath.properties,
  versionId: PathText,
})

export const License = Type.Object({
  ...baseFields,
  user_id: Type.String(),
  app_id: Type.String(),
  license: Type.String(),
})
export type License = Static<typeof License>

export const AcceptLicense = Type.Object({ license: Type.String({ minLength: 1, maxLength: 200_000 }) })

export const StoreTag = Type.Object({ slug: Type.String(), title: Type.String(), count: Type.Integer() })
export type StoreTag = Static<typeof StoreTag>

export const StoreApp = Type.Object({
  id: Type.String(),
  category: StringEnum(appCategories),
  subcategory: Type.Optional(Type.String()),
  tags: Type.Optional(Type.Array(Type.String())),
  namespace: Type.String(),
  name: Type.String(),
  title: Type.String(),
  description: Type.String(),
  images: Images,
  is_featured: Type.Boolean(),
  rank: Type.Integer(),
  has_approved_version: Type.Boolean(),
  page_id: Type.Optional(Type.String()),
  pricing_description: Type.Optional(Type.String()),
})
export type StoreApp = Static<typeof StoreApp>

export const UpdateListing = Type.Object({
  is_featured: Type.Optional(Type.Boolean()),
  rank: Type.Optional(Type.Integer({ minimum: -1_000_000, maximum: 1_000_000 })),
  subcategory: Type.Optional(Type.String({ maxLength: 64 })),
  delisted: Type.Optional(Type.Boolean()),
})
export type UpdateListing = Static<typeof UpdateListing>

export const UpdateSkillListing = Type.Omit(UpdateListing, ['subcategory'])
export type UpdateSkillListing = Static<typeof UpdateSkillListing>

export const SubmitVersion = Type.Object({ version_id: Type.Optional(Type.String()) })

export const SetRefRoute = Type.Object({
  app_id: Type.Optional(Type.String()),
  function: Type.Optional(Type.String()),
  url: Type.Optional(Type.String({ maxLength: 2000 })),
})
export type SetRefRoute = Static<typeof SetRefRoute>

export const RefRoute = Type.Object({ namespace: Type.String(), name: Type.String(), ...SetRefRoute.properties })
export type RefRoute = Static<typeof RefRoute>

export const SiteRoutes = Type.Object({
  redirects: Type.Record(Type.String(), Type.String(), { description: 'Site path to site path or URL' }),
})
export type SiteRoutes = Static<typeof SiteRoutes>
