// Reads a JSON Schema for a form: the input of each field and its initial value. Pure.
import { strings } from './strings.ts'

export type Schema = {
  type?: string | readonly string[]
  title?: string
  description?: string
  default?: unknown
  enum?: readonly unknown[]
  const?: unknown
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema | boolean
  additionalProperties?: Schema | boolean
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  allOf?: readonly Schema[]
  $ref?: string
  $defs?: Readonly<Record<string, Schema>>
  definitions?: Readonly<Record<string, Schema>>
  format?: string
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  multipleOf?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  pattern?: string
  examples?: readonly unknown[]
  contentMediaType?: string
}

export type Kind =
  | 'text'
  | 'long text'
  | 'secret'
  | 'file'
  | 'number'
  | 'range'
  | 'boolean'
  | 'enum'
  | 'const'
  | 'null'
  | 'date'
  | 'date-time'
  | 'object'
  | 'map'
  | 'list'
  | 'union'
  | 'json'

const maxRefs = 20

const lookUp = (root: Schema, ref: string): Schema | undefined => {
  if (!ref.startsWith('#/')) return undefined
  const parts = ref
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  let at: unknown = root
  for (const part of parts) at = (at as Record<string, unknown> | undefined)?.[part]
  return at as Schema | undefined
}

/** Follows references and merges `allOf`. A reference that cannot be resolved accepts any value. */
export const resolve = (schema: Schema, root: Schema): Schema => {
  let current = schema
  for (let step = 0; step < maxRefs && current.$ref !== undefined; step += 1) {
    const { $ref, ...rest } = current
    const target = lookUp(root, $ref)
    if (!target) return rest
    current = { ...target, ...rest }
  }
  if (current.$ref !== undefined) return {}
  const { allOf, ...own } = current
  if (!allOf) return current
  const parts = allOf.map((part) => resolve(part, root))
  return {
    ...Object.assign({}, ...parts),
    ...own,
    properties: Object.assign({}, ...parts.map(({ properties }) => properties), own.properties),
    required: [...new Set([...parts.flatMap(({ required = [] }) => required), ...(own.required ?? [])])],
  }
}

const isNull = (schema: Schema): boolean => schema.type === 'null'

/** All variants of a union. */
export const variantsOf = (schema: Schema, root: Schema): Schema[] =>
  (schema.anyOf ?? schema.oneOf ?? []).map((each) => resolve(each, root))

/** Replaces a union of one type and `null` by the type, and a union of constants by an enum. */
export const simplify = (given: Schema, root: Schema): Schema => {
  const schema = resolve(given, root)
  // A union of one type and `null` is an optional field: `null` is the empty field.
  const variants = variantsOf(schema, root).filter((each) => !isNull(each))
  const [only] = variants
  if (variants.length === 1 && only) {
    const { anyOf: _any, oneOf: _one, ...rest } = schema
    return simplify({ ...only, ...rest }, root)
  }
  if (variants.length > 1 && variants.every((each) => each.const !== undefined))
    return { ...schema, anyOf: undefined, oneOf: undefined, enum: variants.map((each) => each.const) } as Schema
  return schema
}

export const typesOf = ({ type }: Schema): readonly string[] =>
  (type === undefined ? [] : typeof type === 'string' ? [type] : type).filter((name) => name !== 'null')

const longTextNames = /prompt|text|body|content|template|message|description|markdown|html|code|query/i
const maxRangeWidth = 1000

const textKind = (schema: Schema, name: string): Kind => {
  const { format, contentMediaType } = schema
  if (format === 'date' || format === 'date-time') return format
  if (format === 'file' || format === 'binary' || format === 'data-url' || contentMediaType !== undefined) return 'file'
  if (format === 'password') return 'secret'
  if (format === 'textarea' || format === 'markdown') return 'long text'
  if (format === undefined && longTextNames.test(name) && (schema.maxLength ?? Number.POSITIVE_INFINITY) > 200)
    return 'long text'
  return 'text'
}

const numberKind = ({ type, minimum, maximum }: Schema): Kind =>
  minimum !== undefined && maximum !== undefined && (type !== 'integer' || maximum - minimum <= maxRangeWidth)
    ? 'range'
    : 'number'

/** The kind of input for a simplified schema. */
export const kindOf = (schema: Schema, name = ''): Kind => {
  if (schema.const !== undefined) return 'const'
  if (schema.enum) return 'enum'
  if (schema.anyOf ?? schema.oneOf) return 'union'
  if (isNull(schema)) return 'null'
  const types = typesOf(schema)
  if (types.length !== 1) return schema.properties ? 'object' : 'json'
  switch (types[0]) {
    case 'string':
      return textKind(schema, name)
    case 'number':
    case 'integer':
      return numberKind(schema)
    case 'boolean':
      return 'boolean'
    case 'array':
      return typeof schema.items === 'object' && Object.keys(schema.items).length > 0 ? 'list' : 'json'
    case 'object':
      if (schema.properties && Object.keys(schema.properties).length > 0) return 'object'
      return isTextMap(schema) ? 'map' : 'json'
    default:
      return 'json'
  }
}

const isTextMap = ({ additionalProperties: values }: Schema): boolean =>
  typeof values === 'object' && values.type === 'string'

/** The initial value: the default, or for a required object the defaults of its fields. */
export const firstValue = (given: Schema, root: Schema, required = true): unknown => {
  const schema = simplify(given, root)
  if (schema.default !== undefined) return structuredClone(schema.default)
  if (schema.const !== undefined) return schema.const
  if (isNull(schema)) return null
  if (!required) return undefined
  const kind = kindOf(schema)
  if (kind === 'boolean') return false
  if (kind === 'list') return []
  if (kind === 'map') return {}
  if (kind !== 'object') return undefined
  const needed = new Set(schema.required ?? [])
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).flatMap(([name, each]) => {
      const value = firstValue(each, root, needed.has(name))
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

const acronyms = /\b(url|uri|json|html|css|sql|id|ip|api|csv|xml|pdf|cpu|gpu)\b/gi

export const labelOf = (schema: Schema, name: string): string => {
  if (schema.title !== undefined) return schema.title
  if (name === '') return strings.value
  const words = name.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase())
  return words.replace(acronyms, (word) => word.toUpperCase())
}
