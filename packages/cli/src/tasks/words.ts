// Reads `key=value` arguments by the schema of each field, and `{…}` as JSON. Pure.
import { refuseInexact, usage } from '../failures.ts'

type Schema = Readonly<Record<string, unknown>>
export type Input = Record<string, unknown>

export const isPair = (word: string): boolean => /^[^={}\s]+=/.test(word)

const asSchema = (value: unknown): Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {}

const resolved = (root: Schema, schema: Schema): Schema => {
  const { $ref } = schema
  if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return schema
  return asSchema(
    $ref
      .slice(2)
      .split('/')
      .reduce<unknown>((at, key) => asSchema(at)[key], root),
  )
}

/** The JSON types that a field accepts; empty if the schema does not limit them. */
const typesOf = (root: Schema, given: Schema): string[] => {
  const schema = resolved(root, given)
  const own = [schema.type].flat().filter((type): type is string => typeof type === 'string')
  const parts = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) => (Array.isArray(list) ? list : []))
  return [...own, ...parts.flatMap((part) => typesOf(root, asSchema(part)))]
}

const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

const fits = (value: unknown, types: readonly string[]): boolean =>
  types.length === 0 || types.includes(typeOf(value)) || (types.includes('integer') && Number.isInteger(value))

const parsed = (text: string): { value: unknown } | null => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return null
  }
}

const readValue = (key: string, text: string, types: readonly string[]): unknown => {
  const json = parsed(text)
  // A text field keeps the typed characters, so 42 is text there.
  const textual = types.includes('string')
  if (json !== null && fits(json.value, types) && !(textual && typeof json.value !== 'object')) {
    refuseInexact(text, key)
    return json.value
  }
  if (textual || types.length === 0) return text
  if (types.includes('array')) return [json?.value ?? text]
  if (text.startsWith('@')) return text
  throw usage(`${key} takes ${[...new Set(types)].join(' or ')}, not ${text}`)
}

/** A repeated key adds to a list; for any other type the last value counts. */
export const inputOfPairs = (pairs: readonly string[], schema: unknown): Input => {
  const root = asSchema(schema)
  const properties = asSchema(resolved(root, root).properties)
  const input: Input = {}
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    const key = pair.slice(0, at)
    const types = typesOf(root, asSchema(properties[key]))
    const value = readValue(key, pair.slice(at + 1), types)
    const before = input[key]
    input[key] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value
  }
  return input
}
