// Schemas of the document by name: what the contract exports goes under its own name wherever it occurs, and what an
// operation declares in place under the operation's. Each is written once and referred to.
import type { TSchema } from 'typebox'

export type JsonSchema = { [key: string]: unknown }

/** The contract's modules by file name, as `import * as` sees them. */
export type SchemaModules = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export type NamedSchemas = {
  /** A reference where the schema has a name, else the schema with references inside. */
  write(schema: TSchema): JsonSchema
  /** A reference in any case: what has no name gets this one. */
  refer(schema: TSchema, name: string): JsonSchema
  /** Everything referred to so far, by name. */
  components(): Record<string, JsonSchema>
}

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What is shorter than its name needs none. */
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

  // Operations share most of their schemas: each object is looked at once.
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
      // Put down before it is filled: what refers to itself must not go on for ever.
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
