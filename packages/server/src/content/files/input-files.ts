// Finds values that a JSON schema marks as files (`format: file`) at any depth and replaces them with plain URLs. Pure
// apart from the function it receives; does not modify its input.
import { linearRegExp } from '#platform/core/linear-regexp.ts'

export type FileValue = {
  uri: string
  content_type?: string
  filename?: string
  size?: number
  /** Dotted path in the input, for error details. */
  at: string
}

export type ReplaceFile = (file: FileValue) => Promise<string>

type Schema = Readonly<Record<string, unknown>>

type Replacement = { readonly root: Schema; readonly replace: ReplaceFile }

/** Deep enough for any schema written by a person. Self-referencing schemas end here at the latest. */
const deepest = 64

export const replaceInputFiles = async <T>(schema: unknown, value: T, replace: ReplaceFile): Promise<T> => {
  if (!isSchema(schema)) return value
  // The walk preserves the shape of the value; only files change, to text.
  return (await replaceFiles({ root: schema, replace }, schema, value, '', 0)) as T
}

const replaceFiles = async (
  replacement: Replacement,
  schema: Schema,
  value: unknown,
  at: string,
  depth: number,
): Promise<unknown> => {
  if (value === null || value === undefined || depth > deepest) return value
  if (schema.format === 'file') {
    const file = fileValueOf(value, at)
    return file ? replacement.replace(file) : value
  }
  let result: unknown = value
  for (const part of allParts(replacement.root, schema))
    result = await replaceFiles(replacement, part, result, at, depth + 1)
  const choice = chosenPart(replacement.root, schema, result)
  if (choice) result = await replaceFiles(replacement, choice, result, at, depth + 1)
  if (Array.isArray(result)) return replaceInItems(replacement, schema, result, at, depth)
  if (isSchema(result)) return replaceInMembers(replacement, schema, result, at, depth)
  return result
}

const fileValueOf = (value: unknown, at: string): FileValue | null => {
  if (typeof value === 'string') return value === '' ? null : { uri: value, at }
  if (!isSchema(value) || typeof value.uri !== 'string' || value.uri === '') return null
  const { uri, content_type, filename, size } = value
  return {
    uri,
    at,
    ...(typeof content_type === 'string' && { content_type }),
    ...(typeof filename === 'string' && { filename }),
    ...(typeof size === 'number' && { size }),
  }
}

const replaceInItems = async (
  replacement: Replacement,
  schema: Schema,
  items: unknown[],
  at: string,
  depth: number,
) => {
  // Before draft 2020-12, `items` held the schemas of a tuple.
  const leading = [schema.prefixItems, schema.items].find(Array.isArray) ?? []
  const rest = isSchema(schema.items) ? schema.items : schema.additionalItems
  const result: unknown[] = []
  for (const [index, item] of items.entries()) {
    const own: unknown = index < leading.length ? leading[index] : rest
    result.push(isSchema(own) ? await replaceFiles(replacement, own, item, joined(at, String(index)), depth + 1) : item)
  }
  return result
}

const replaceInMembers = async (
  replacement: Replacement,
  schema: Schema,
  members: Schema,
  at: string,
  depth: number,
) => {
  const result: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(members)) {
    let next = member
    for (const own of memberSchemas(schema, name))
      next = await replaceFiles(replacement, own, next, joined(at, name), depth + 1)
    result[name] = next
  }
  return result
}

const memberSchemas = (schema: Schema, name: string): Schema[] => {
  const own =
    isSchema(schema.properties) && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
  const matching = isSchema(schema.patternProperties)
    ? Object.entries(schema.patternProperties).flatMap(([pattern, part]) => (matches(pattern, name) ? [part] : []))
    : []
  const found = [own, ...matching].filter(isSchema)
  if (found.length > 0 || own !== undefined) return found
  return isSchema(schema.additionalProperties) ? [schema.additionalProperties] : []
}

/**
 * The pattern comes from a user. An invalid one matches nothing, and linear-time matching keeps every pattern cheap.
 */
const matches = (pattern: string, name: string): boolean => {
  try {
    return linearRegExp(pattern).test(name)
  } catch {
    return false
  }
}

const allParts = (root: Schema, schema: Schema): Schema[] => {
  const referred = typeof schema.$ref === 'string' ? follow(root, schema.$ref) : undefined
  return [referred, ...(Array.isArray(schema.allOf) ? schema.allOf : [])].filter(isSchema)
}

/**
 * The first alternative whose type admits the value. Text that may be a file or plain text counts as a file if it looks
 * like an address.
 */
const chosenPart = (root: Schema, schema: Schema, value: unknown): Schema | undefined => {
  const parts = [schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : [])).filter(isSchema)
  const resolved = parts.map((part) => (typeof part.$ref === 'string' ? asSchema(follow(root, part.$ref)) : part))
  const fitting = resolved.filter((part) => admits(part, value))
  const asFile = fitting.find((part) => part.format === 'file')
  const asData = fitting.find((part) => part.format !== 'file')
  return asFile && (asData === undefined || looksLikeFile(value)) ? asFile : asData
}

const looksLikeFile = (value: unknown): boolean =>
  typeof value === 'string' ? /^(https?:\/\/|data:)/i.test(value) : isSchema(value) && typeof value.uri === 'string'

const admits = (part: Schema, value: unknown): boolean => {
  if (part.format === 'file') return fileValueOf(value, '') !== null
  const types = Array.isArray(part.type) ? part.type : part.type === undefined ? [] : [part.type]
  if (types.length === 0) return !isSchema(part.properties) || isSchema(value)
  const actual = Array.isArray(value) ? 'array' : typeof value
  if (actual === 'number') return types.includes('number') || (types.includes('integer') && Number.isInteger(value))
  if (actual !== 'object' || !types.includes('object')) return types.includes(actual)
  const required = Array.isArray(part.required) ? part.required : []
  return required.every((name) => typeof name === 'string' && Object.hasOwn(value as object, name))
}

const follow = (root: Schema, reference: string): unknown => {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  let at: unknown = root
  for (const step of reference.slice(2).split('/')) {
    const name = unescaped(step)
    at = isSchema(at) && Object.hasOwn(at, name) ? at[name] : undefined
  }
  return at
}

const unescaped = (step: string): string => {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain
  }
}

const joined = (at: string, name: string): string => (at === '' ? name : `${at}.${name}`)

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const asSchema = (value: unknown): Schema => (isSchema(value) ? value : {})
