// Names of schemas in the OpenAPI document: exports of the contract keep their name, inline schemas are named after the
// operation. Each is written once and referenced.
import type { TSchema } from 'typebox'

export type JsonSchema = { [key: string]: unknown }

/** The modules of the contract by file name, as namespace imports. */
export type SchemaModules = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export type NamedSchemas = {
  /** A reference if the schema has a name, otherwise the schema with references inside. */
  write(schema: TSchema): JsonSchema
  /** Always a reference; a schema without a name gets `name`. */
  refer(schema: TSchema, name: string): JsonSchema
  /** All referenced schemas by name. */
  components(): Record<string, JsonSchema>
}

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Small schemas are written inline. */
const deservesName = (value: JsonSchema): boolean => Object.keys(value.properties ?? {}).length > 1

const namesOf = (modules: SchemaModules): Map<string, string> => {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const [file, exports] of Object.entries(modules).sort(([a], [b]) => (a < b ? -1 : 1)))
    for (const [name, value] of Object.entries(exports)) {
      if (!isObject(value) || !isObject(value.properties) || !deservesName(value)) continue
      const text = JSON.stringify(value)
      if (names.has(text)) continue
      const unique = taken.has(name) ? `${pascal(file)}${name}` : name
      taken.add(unique)
      names.set(text, unique)
    }
  return names
}

/** `flow_runs.stream_tasks` becomes `FlowRunsStreamTasks`. */
export const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}`)
    .join('')

export const createNamedSchemas = (modules: SchemaModules): NamedSchemas => {
  const names = namesOf(modules)
  const used = new Map<string, JsonSchema>()
  const byText = new Map<string, string>()

  const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

  // Operations share most schemas, so each object is converted once.
  const written = new WeakMap<object, unknown>()
  const inner = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (!written.has(value)) written.set(value, Array.isArray(value) ? value.map(inner) : schemaOf(value as JsonSchema))
    return written.get(value)
  }

  const schemaOf = (value: JsonSchema): JsonSchema => {
    const name = isObject(value.properties) && deservesName(value) ? names.get(JSON.stringify(value)) : undefined
    return name === undefined ? members(value) : use(name, value)
  }

  const members = (value: JsonSchema): JsonSchema =>
    Object.fromEntries(Object.entries(value).map(([key, member]) => [key, inner(member)]))

  const use = (name: string, value: JsonSchema): JsonSchema => {
    if (!used.has(name)) {
      // Registered before it is filled, because schemas can refer to themselves.
      used.set(name, {})
      used.set(name, members(value))
    }
    return reference(name)
  }

  return {
    write: (schema) => inner(schema) as JsonSchema,
    refer: (schema, wanted) => {
      const value: JsonSchema = { ...schema }
      const text = JSON.stringify(value)
      const known = names.get(text) ?? byText.get(text)
      if (known !== undefined) return use(known, value)
      const name = used.has(wanted) ? `${wanted}Shape` : wanted
      byText.set(text, name)
      return use(name, value)
    },
    components: () => Object.fromEntries([...used].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}
