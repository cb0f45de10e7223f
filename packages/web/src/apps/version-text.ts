// An app version as texts that can be compared: declaration, schemas and code. Pure.
import type { AppVersion } from '@millrace/contract/apps'
import { sortedJson } from '../ui/sorted-json.ts'

export const versionParts = ['Declaration', 'Schemas', 'Code'] as const
export type VersionPart = (typeof versionParts)[number]

const schemasOf = (version: AppVersion) => ({
  setup: version.setup_schema,
  functions: Object.fromEntries(
    Object.entries(version.functions ?? {}).map(([name, { input_schema, output_schema }]) => [
      name,
      { input_schema, output_schema },
    ]),
  ),
})

const declarationOf = (version: AppVersion) => ({
  kernel: version.kernel,
  default_function: version.default_function,
  functions: Object.fromEntries(
    Object.entries(version.functions ?? {}).map(([name, { input_schema: _in, output_schema: _out, ...rest }]) => [
      name,
      rest,
    ]),
  ),
  resources: version.resources,
  variants: version.variants,
  env: version.env,
  required_secrets: version.required_secrets,
  required_credentials: version.required_credentials,
  metadata: version.metadata,
})

export const versionText = (version: AppVersion, part: VersionPart): string => {
  if (part === 'Schemas') return sortedJson(schemasOf(version))
  if (part === 'Declaration') return sortedJson(declarationOf(version))
  return sortedJson({
    repository: version.repository,
    checksum: version.checksum,
    flow_version_id: version.flow_version_id,
  })
}
