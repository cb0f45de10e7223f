// Builds the body of a deployment from `inf.yml` and the schema discovered in the code. Pure.
import type { DeployApp } from './apps.ts'
import { type InfYml, sizeToBytes } from './inf-yml.ts'

/** Discovered in the code, or read from `functions_schema.json` next to it. */
export type DiscoveredApp = {
  setup_schema: unknown
  functions: Record<
    string,
    { name: string; description?: string; kind: 'run' | 'stream'; input_schema: unknown; output_schema: unknown }
  >
}

export const deployBody = (inf: InfYml, discovered: DiscoveredApp, repository: string): DeployApp => ({
  name: inf.name,
  ...(inf.namespace === undefined ? {} : { namespace: inf.namespace }),
  ...(inf.title === undefined ? {} : { title: inf.title }),
  ...(inf.description === undefined ? {} : { description: inf.description }),
  ...(inf.category === undefined ? {} : { category: inf.category as DeployApp['category'] }),
  ...(inf.images === undefined ? {} : { images: inf.images }),
  version: {
    repository,
    metadata: inf.metadata ?? {},
    ...(inf.kernel === undefined ? {} : { kernel: inf.kernel }),
    ...(inf.default_function === undefined ? {} : { default_function: inf.default_function }),
    setup_schema: discovered.setup_schema,
    functions: functionsOf(inf, discovered),
    variants: Object.fromEntries(
      Object.entries(inf.variants ?? {}).map(([name, variant]) => [
        name,
        { ...variant, resources: resourcesOf(variant.resources) },
      ]),
    ),
    env: inf.env ?? {},
    required_secrets: inf.secrets ?? [],
    required_credentials: inf.credentials ?? inf.integrations ?? [],
    resources: resourcesOf(inf.resources),
  },
})

/** A description in `inf.yml` takes precedence over the one in the code. */
const functionsOf = (inf: InfYml, discovered: DiscoveredApp) => {
  const described = new Map((inf.functions ?? []).map((one) => [one.name, one.description]))
  return Object.fromEntries(
    Object.entries(discovered.functions).map(([name, { description, kind, input_schema, output_schema }]) => [
      name,
      { name, description: described.get(name) ?? description ?? '', kind, input_schema, output_schema },
    ]),
  )
}

const resourcesOf = (written: InfYml['resources']) => {
  const { gpu, ram } = written ?? {}
  const bytes = (size: number | string | undefined) => (size === undefined ? undefined : sizeToBytes(size))
  return {
    ...(gpu === undefined ? {} : { gpu: { count: gpu.count, vram: bytes(gpu.vram), type: gpu.type } }),
    ...(ram === undefined ? {} : { ram: bytes(ram) }),
  }
}
