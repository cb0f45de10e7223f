// Reads the files of a bundle, and builds the next version of an app from a new bundle. Pure.
import type { App, AppVersion, DeployApp } from '@millrace/contract/apps'
import { strings } from './strings.ts'

const maxTextBytes = 200_000

/** Undefined for binary files and for files that are too large to display. */
export const textIn = (bytes: Uint8Array): string | undefined => {
  if (bytes.length > maxTextBytes || bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

export const languageOf = (name: string): 'json' | 'markdown' | 'text' => {
  if (name.endsWith('.json')) return 'json'
  return /\.(md|markdown)$/i.test(name) ? 'markdown' : 'text'
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The schemas that a bundle declares. */
export type Discovered = { functions: AppVersion['functions']; setup_schema: AppVersion['setup_schema'] }

/** Bundled apps also declare their setup schema; `millrace deploy` writes the functions only. */
const partsOf = (found: Record<string, unknown>): { functions: Record<string, unknown>; setup?: unknown } =>
  Object.hasOwn(found, 'setup_schema') && isRecord(found.functions)
    ? { functions: found.functions, setup: found.setup_schema }
    : { functions: found }

/**
 * Reads `functions_schema.json`. A bundle that was zipped by hand may not contain it and keeps the functions of the version
 * before, as does a function without a `kind`.
 */
export const discoveredIn = (text: string | undefined, before: AppVersion): Discovered => {
  if (text === undefined) return before
  const found: unknown = JSON.parse(text)
  if (!isRecord(found)) throw new Error(strings.deploy.schemaNotObject)
  const { functions, setup = before.setup_schema } = partsOf(found)
  return {
    setup_schema: setup as AppVersion['setup_schema'],
    functions: Object.fromEntries(
      Object.entries(functions).map(([name, declared]) => {
        const { description, input_schema, output_schema, kind } = isRecord(declared) ? declared : {}
        const fn = {
          name,
          description: String(description ?? ''),
          kind: kind ?? before.functions[name]?.kind ?? 'run',
          input_schema,
          output_schema,
        }
        return [name, fn as Discovered['functions'][string]]
      }),
    ),
  }
}

/** Descriptions of the version before win: they may come from `inf.yml`, which takes precedence over the code. */
const keepDescriptions = (discovered: Discovered, before: AppVersion): Discovered['functions'] =>
  Object.fromEntries(
    Object.entries(discovered.functions).map(([name, one]) => [
      name,
      { ...one, description: before.functions[name]?.description || (one.description ?? '') },
    ]),
  )

/** The next version for a bundle without a manifest: the settings of the version before, with other code. */
export const versionFrom = (
  { id, name }: Pick<App, 'id' | 'name'>,
  before: AppVersion,
  code: { repository: string; discovered: Discovered },
): DeployApp => ({
  id,
  name,
  version: {
    metadata: before.metadata as Record<string, unknown>,
    repository: code.repository,
    kernel: before.kernel,
    setup_schema: code.discovered.setup_schema,
    functions: keepDescriptions(code.discovered, before),
    // A removed function cannot be the default.
    default_function: Object.hasOwn(code.discovered.functions, before.default_function) ? before.default_function : '',
    variants: before.variants,
    env: before.env,
    required_secrets: before.required_secrets,
    required_credentials: before.required_credentials,
    resources: before.resources,
  },
})
