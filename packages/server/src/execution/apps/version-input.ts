// Validates the `version` of a deployment and normalizes it for storage. Pure: schemas are compiled only to validate
// them.
import {
  type AppFunction,
  type AppResources,
  type AppVariant,
  type AppVersionInput,
  type CredentialRequirement,
  kernels,
  type ResourcesInput,
  type SecretRequirement,
} from '@millrace/contract/apps'
import type { Notice } from '@millrace/contract/common'
import { maxConnectorFunctions } from '@millrace/contract/connectors'
import { isRecord, own } from '@millrace/contract/json'
import { isFunctionName } from '@millrace/contract/refs'
import { fail } from '#platform/core/errors.ts'
import { compileSchema } from './schemas.ts'
import { tagsOfMetadata } from './tags.ts'

export type NewVersion = {
  metadata: Record<string, unknown>
  repository: string
  kernel: string
  setup_schema: unknown
  functions: Record<string, AppFunction>
  default_function: string
  variants: Record<string, AppVariant>
  env: Record<string, string>
  resources: AppResources
  required_secrets: SecretRequirement[]
  required_credentials: CredentialRequirement[]
  flow_version_id: string | null
}

const limits = {
  functions: maxConnectorFunctions,
  subschemas: 5_000,
  functionsBytes: 2 * 1024 * 1024,
  metadataBytes: 64 * 1024,
  variants: 50,
  env: 200,
} as const

const invalid = (field: string, problem: string) => fail('validation_error', `version.${field} ${problem}`)

/** Names of lifecycle functions, which the SDK of the app calls; a function with such a name could never run. */
const notFunctions: ReadonlySet<string> = new Set(['setup', 'unload', 'on_cancel', 'onCancel', 'constructor'])

export const readVersion = (
  input: AppVersionInput,
  flowVersionId: string | null,
): { version: NewVersion; warnings: Notice[] } => {
  const warnings: Notice[] = []
  let subschemasLeft: number = limits.subschemas
  const warn = (code: string, message: string, meta: Record<string, unknown>) =>
    warnings.push({ level: 'warning', code, message, meta })

  const checkSchema = (field: string, schema: unknown): unknown => {
    if (schema === null || schema === undefined) return null
    const { skippedPatterns, subschemas } = compiled(field, schema)
    subschemasLeft -= subschemas
    if (subschemasLeft < 0) throw invalid(field, `exceeds the limit of ${limits.subschemas} subschemas per version`)
    if (skippedPatterns.length > 0)
      warn('pattern_not_checked', `${field}: a pattern that cannot be matched in linear time is not checked`, {
        field: `version.${field}`,
        patterns: skippedPatterns.slice(0, 10),
      })
    return schema
  }

  const functions = readFunctions(input, checkSchema)
  for (const { name, input_schema } of Object.values(functions))
    if (input_schema === null)
      warn('function_without_schema', `The function ${name} has no input schema: its input is not checked`, {
        function: name,
      })
  const metadata = readMetadata(input.metadata ?? {}, functions)
  const { skipped } = tagsOfMetadata(metadata.tags)
  if (skipped.length > 0) warn('tags_skipped', 'Invalid tags in the metadata were skipped', { tags: skipped })
  const repository = flowVersionId === null ? (input.repository ?? '').trim() : ''
  if (flowVersionId === null && repository === '')
    warn('no_code', 'The version has no code bundle and cannot run', { field: 'version.repository' })
  const resources = readResources(input.resources)
  return {
    warnings,
    version: {
      metadata,
      repository,
      kernel: flowVersionId === null ? readKernel(input.kernel ?? '') : '',
      setup_schema: checkSchema('setup_schema', input.setup_schema),
      functions,
      default_function: readDefaultFunction(input.default_function ?? '', functions),
      variants: readVariants(input.variants ?? {}, resources),
      env: readEnv('env', input.env ?? {}),
      resources,
      required_secrets: input.required_secrets ?? [],
      required_credentials: readCredentials(input),
      flow_version_id: flowVersionId,
    },
  }
}

const compiled = (field: string, schema: unknown) => {
  try {
    return compileSchema(schema)
  } catch (error) {
    throw invalid(field, error instanceof Error ? error.message : 'is not a JSON Schema')
  }
}

const readFunctions = (
  input: AppVersionInput,
  checkSchema: (field: string, schema: unknown) => unknown,
): Record<string, AppFunction> => {
  const given = Object.entries(input.functions ?? {})
  if (given.length > limits.functions) throw invalid('functions', `must have at most ${limits.functions} entries`)
  if (given.length === 0)
    return {
      run: {
        name: 'run',
        input_schema: checkSchema('input_schema', input.input_schema),
        output_schema: checkSchema('output_schema', input.output_schema),
        kind: 'run',
      },
    }
  const functions = given.map(([name, value]): [string, AppFunction] => {
    if (!isFunctionName(name) || notFunctions.has(name))
      throw invalid('functions', `must not contain the name "${name.slice(0, 80)}"`)
    return [
      name,
      {
        name,
        ...(value.description === undefined ? {} : { description: value.description }),
        input_schema: checkSchema(`functions.${name}.input_schema`, value.input_schema),
        output_schema: checkSchema(`functions.${name}.output_schema`, value.output_schema),
        kind: value.kind || 'run',
        ...(value.capabilities?.length ? { capabilities: value.capabilities } : {}),
      },
    ]
  })
  if (JSON.stringify(functions).length > limits.functionsBytes)
    throw invalid('functions', `must be at most ${limits.functionsBytes} bytes`)
  return Object.fromEntries(functions)
}

/** Empty means `run`, or the only function if there is just one. */
const readDefaultFunction = (requested: string, functions: Record<string, AppFunction>): string => {
  if (requested !== '' && own(functions, requested) === undefined)
    throw invalid('default_function', `"${requested}" is not one of the functions`)
  const names = Object.keys(functions)
  if (requested !== '' || names.includes('run') || names.length !== 1) return requested
  return names[0] ?? ''
}

const readMetadata = (
  given: Record<string, unknown>,
  functions: Record<string, AppFunction>,
): Record<string, unknown> => {
  if (JSON.stringify(given).length > limits.metadataBytes)
    throw invalid('metadata', `must be at most ${limits.metadataBytes} bytes`)
  const { ui, ...metadata } = given
  if (isRecord(ui) && ui.artifact !== undefined && typeof ui.artifact !== 'string')
    throw invalid('metadata.ui.artifact', 'must be a string')
  const known = Array.isArray(metadata.capabilities) ? metadata.capabilities : []
  const capabilities = new Set([...known, ...Object.values(functions).flatMap((one) => one.capabilities ?? [])])
  return {
    ...metadata,
    ...(capabilities.size > 0 ? { capabilities: [...capabilities] } : {}),
    ...(artifactOf(given) === '' ? {} : { ui }),
  }
}

/** The artifact that shows the app's results; empty if there is none. */
export const artifactOf = (metadata: Record<string, unknown>): string =>
  isRecord(metadata.ui) && typeof metadata.ui.artifact === 'string' ? metadata.ui.artifact.trim() : ''

export const readKernel = (given: string): string => {
  const text = given.trim() || 'python-3.11'
  const kernel = /^\d/.test(text) ? `python-${text}` : text
  if (!kernels.some((known) => known === kernel)) throw invalid('kernel', `must be one of ${kernels.join(', ')}`)
  return kernel
}

const readResources = (given: ResourcesInput | undefined): AppResources => {
  const count = given?.gpu?.count ?? 0
  return {
    gpu: { count, vram: given?.gpu?.vram ?? 0, type: given?.gpu?.type || (count > 0 ? 'any' : 'none') },
    ram: given?.ram ?? 0,
  }
}

const readVariants = (given: NonNullable<AppVersionInput['variants']>, resources: AppResources) => {
  const entries = Object.entries(given)
  if (entries.length > limits.variants) throw invalid('variants', `must have at most ${limits.variants} entries`)
  return Object.fromEntries(
    entries.map(([key, variant], index): [string, AppVariant] => {
      if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(key))
        throw invalid('variants', `must not contain the name "${key.slice(0, 80)}"`)
      return [
        key,
        {
          name: variant.name || key,
          order: variant.order ?? index,
          resources: variant.resources ? readResources(variant.resources) : resources,
          env: readEnv(`variants.${key}.env`, variant.env ?? {}),
          python: variant.python ?? '',
        },
      ]
    }),
  )
}

const readEnv = (field: string, given: Record<string, unknown>): Record<string, string> => {
  const entries = Object.entries(given)
  if (entries.length > limits.env) throw invalid(field, `must have at most ${limits.env} entries`)
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name))
        throw invalid(field, `must not contain the name "${name.slice(0, 80)}"`)
      if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
        throw invalid(`${field}.${name}`, 'must be a string')
      if (String(value).length > 32_768) throw invalid(`${field}.${name}`, 'must be at most 32768 characters')
      return [name, String(value)]
    }),
  )
}

/** The list has two names; the newer one takes precedence. Each entry is stored with both `provider` and `key`. */
const readCredentials = (input: AppVersionInput): CredentialRequirement[] => {
  const field = input.required_credentials ? 'required_credentials' : 'required_integrations'
  return (input.required_credentials ?? input.required_integrations ?? []).map((entry, index) => {
    const provider = entry.provider || entry.key
    if (!provider) throw invalid(`${field}.${index}`, 'must have a provider')
    return { ...entry, provider, key: entry.key || provider }
  })
}
