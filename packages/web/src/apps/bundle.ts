// The code of a version as the console reads it, and what a new bundle makes of a version. Pure.
import type { App, AppVersion, DeployApp } from '@millrace/contract/apps'

const mostShown = 200_000

/** Undefined for what is no text, or too long to be read here. */
export const textIn = (bytes: Uint8Array): string | undefined => {
  if (bytes.length > mostShown || bytes.includes(0)) return undefined
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

export type Said = { functions: AppVersion['functions']; setup_schema: AppVersion['setup_schema'] }

/** Apps that come along say by themselves how they are set up; `millrace deploy` writes down the functions alone. */
const partsOf = (found: Record<string, unknown>): { functions: Record<string, unknown>; setup?: unknown } =>
  Object.hasOwn(found, 'setup_schema') && isRecord(found.functions)
    ? { functions: found.functions, setup: found.setup_schema }
    : { functions: found }

/**
 * What the code says about itself in `functions_schema.json` beside it. A bundle that was zipped by hand has no such file;
 * then the functions stay as they are. Whether one streams is not always written there.
 */
export const saidIn = (text: string | undefined, before: AppVersion): Said => {
  if (text === undefined) return before
  const found: unknown = JSON.parse(text)
  if (!isRecord(found)) throw new Error('functions_schema.json is not an object')
  const { functions, setup = before.setup_schema } = partsOf(found)
  return {
    setup_schema: setup as AppVersion['setup_schema'],
    functions: Object.fromEntries(
      Object.entries(functions).map(([name, given]) => {
        const { description, input_schema, output_schema, kind } = isRecord(given) ? given : {}
        const made = {
          name,
          description: String(description ?? ''),
          kind: kind ?? before.functions[name]?.kind ?? 'run',
          input_schema,
          output_schema,
        }
        return [name, made as Said['functions'][string]]
      }),
    ),
  }
}

/** One in `inf.yml` wins over that of the code, and which of them it was is not known any more. */
const describedAsBefore = (said: Said, before: AppVersion): Said['functions'] =>
  Object.fromEntries(
    Object.entries(said.functions).map(([name, one]) => [
      name,
      { ...one, description: before.functions[name]?.description || (one.description ?? '') },
    ]),
  )

/** A version like the one before it, with other code: of a bundle that declares nothing by itself. */
export const versionFrom = (
  { id, name }: Pick<App, 'id' | 'name'>,
  before: AppVersion,
  code: { repository: string; said: Said },
): DeployApp => ({
  id,
  name,
  version: {
    metadata: before.metadata as Record<string, unknown>,
    repository: code.repository,
    kernel: before.kernel,
    setup_schema: code.said.setup_schema,
    functions: describedAsBefore(code.said, before),
    // One that is gone cannot be the usual one.
    default_function: Object.hasOwn(code.said.functions, before.default_function) ? before.default_function : '',
    variants: before.variants,
    env: before.env,
    required_secrets: before.required_secrets,
    required_credentials: before.required_credentials,
    resources: before.resources,
  },
})
