// The smallest input that a JSON Schema accepts: defaults and examples first, and required fields only. Pure.

type Schema = {
  $ref?: string
  type?: string | string[]
  format?: string
  default?: unknown
  const?: unknown
  examples?: unknown[]
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minItems?: number
  minimum?: number
}

/** An input of this app needs a file, which a schema cannot provide. */
export class NeedsFile extends Error {}

export const sampleOf = (given: unknown, root: unknown = given): unknown => {
  const schema = resolved((given ?? {}) as Schema, root)
  for (const known of [schema.default, schema.const, schema.examples?.[0], schema.enum?.[0]])
    if (known !== undefined) return known
  const alternative = schema.anyOf?.[0] ?? schema.oneOf?.[0]
  if (alternative) return sampleOf(alternative, root)
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => sampleOf(part, root)))
  if (schema.format === 'file') throw new NeedsFile()
  return ofType(schema, root)
}

const ofType = (schema: Schema, root: unknown): unknown => {
  switch ([schema.type].flat()[0]) {
    case 'string':
      return schema.format === 'uri' ? 'https://example.com/' : 'text'
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return false
    case 'null':
      return null
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => sampleOf(schema.items, root))
    default:
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, sampleOf(schema.properties?.[name], root)]),
      )
  }
}

const resolved = (schema: Schema, root: unknown): Schema => {
  if (schema.$ref === undefined) return schema
  const steps = schema.$ref.split('/').slice(1)
  const target = steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], root)
  return resolved((target ?? {}) as Schema, root)
}
