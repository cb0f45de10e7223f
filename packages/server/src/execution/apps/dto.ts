// Converts rows of apps and versions to their form on the wire.
import type {
  App,
  AppFunction,
  AppResources,
  AppVariant,
  AppVersion,
  CredentialRequirement,
  Images,
  License,
  SecretRequirement,
  StoreApp,
} from '@millrace/contract/apps'
import type { Notice } from '@millrace/contract/common'
import { shortId } from '@millrace/contract/ids'
import { isRecord, own } from '@millrace/contract/json'
import { resourceFields } from '#platform/tenancy/resource.ts'
import type { AppRow, LicenseRow, ListingRow, VersionRow } from './store.ts'
import { artifactOf, type NewVersion } from './version-input.ts'

/** A version as the code uses it: the stored values with their types. */
export type Version = NewVersion & { id: string; app_id: string; checksum: string; created_at: string }

export const toVersion = (row: VersionRow): Version => ({
  ...row,
  metadata: row.metadata as Record<string, unknown>,
  functions: row.functions as Record<string, AppFunction>,
  variants: row.variants as Record<string, AppVariant>,
  env: row.env as Record<string, string>,
  resources: row.resources as AppResources,
  required_secrets: row.required_secrets as SecretRequirement[],
  required_credentials: row.required_credentials as CredentialRequirement[],
})

export const defaultFunctionName = (version: Pick<Version, 'default_function'>): string =>
  version.default_function || 'run'

/** Only the version's workspace may read its environment; other readers get the version without it. */
export const withoutEnv = (version: AppVersion): AppVersion => ({
  ...version,
  env: {},
  variants: Object.fromEntries(
    Object.entries(version.variants).map(([key, variant]) => [key, { ...variant, env: {} }]),
  ),
})

export const versionDto = (version: Version, warnings?: Notice[]): AppVersion => {
  const main = own(version.functions, defaultFunctionName(version))
  const artifact = artifactOf(version.metadata)
  return {
    id: version.id,
    short_id: shortId(version.id),
    created_at: version.created_at,
    updated_at: version.created_at,
    deleted_at: null,
    metadata: version.metadata,
    repository: version.repository,
    checksum: version.checksum,
    kernel: version.kernel,
    setup_schema: version.setup_schema ?? null,
    input_schema: main?.input_schema ?? null,
    output_schema: main?.output_schema ?? null,
    functions: version.functions,
    default_function: version.default_function,
    variants: version.variants,
    env: version.env,
    resources: version.resources,
    required_secrets: version.required_secrets,
    required_integrations: version.required_credentials,
    required_credentials: version.required_credentials,
    ...(version.flow_version_id === null ? {} : { flow_version_id: version.flow_version_id }),
    ...(artifact === '' ? {} : { ui: { artifact } }),
    ...(warnings === undefined ? {} : { warnings }),
  }
}

const imagesOf = (stored: unknown): Images => ({ card: '', thumbnail: '', banner: '', ...(stored as Partial<Images>) })

const tagsOf = (tags: string[]) => (tags.length === 0 ? {} : { tags })

export const appDto = (row: AppRow, version: AppVersion | null): App => ({
  ...resourceFields(row),
  deleted_at: row.deleted_at,
  visibility: row.visibility,
  namespace: row.namespace,
  name: row.name,
  title: row.title || row.name,
  description: row.description,
  agent_description: row.agent_description,
  category: row.category,
  ...tagsOf(row.tags),
  images: imagesOf(row.images),
  version_id: row.version_id ?? '',
  version,
  status: row.status,
  ...(row.status_message === '' ? {} : { status_message: row.status_message }),
  ...(row.status_changed_at === null ? {} : { status_changed_at: row.status_changed_at }),
})

export const licenseDto = (row: LicenseRow): License => ({
  id: row.id,
  short_id: shortId(row.id),
  created_at: row.created_at,
  updated_at: row.updated_at,
  deleted_at: null,
  user_id: row.user_id,
  app_id: row.app_id,
  license: row.license,
})

const describedPrice = (pricing: unknown): { pricing_description?: string } => {
  const description = isRecord(pricing) ? pricing.description : undefined
  return typeof description === 'string' && description !== '' ? { pricing_description: description } : {}
}

export const listingDto = (row: ListingRow): StoreApp => ({
  id: row.id,
  category: row.category,
  ...(row.subcategory === '' ? {} : { subcategory: row.subcategory }),
  ...tagsOf(row.tags),
  namespace: row.namespace,
  name: row.name,
  title: row.title || row.name,
  description: row.description,
  images: imagesOf(row.images),
  is_featured: row.is_featured,
  rank: row.rank,
  has_approved_version: row.submitted_version_id !== null,
  ...describedPrice(row.pricing),
})
