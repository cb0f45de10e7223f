// Copies a user's JSON Schema for validation: known keywords only, each with a value of the right type, with resolved
// references and patterns that match in linear time, within a budget. Compiling a schema to code would take longer than
// the validation. Pure.
import { isRecord } from '@millrace/contract/json'
import { type LinearRegExp, linearRegExp, patternCost } from '../linear-regexp.ts'

const limits = { schemaBytes: 256 * 1024, subschemas: 1_500, depth: 64, patternCost: 200_000 } as const

export type SchemaNode = boolean | { readonly [keyword: string]: unknown }

/** The message completes the sentence "input_schema …". */
export class SchemaFault extends Error {}

export type SchemaCopy = {
  readonly root: SchemaNode
  readonly subschemas: number
  readonly patterns: ReadonlyMap<string, LinearRegExp>
  /** Patterns that cannot be matched in linear time and are not checked. */
  readonly skippedPatterns: readonly string[]
  /** Undefined if the reference does not resolve to a schema. */
  target(reference: string): SchemaNode | undefined
}

const one = new Set([
  ...['additionalProperties', 'contains', 'else', 'if', 'items', 'not', 'propertyNames', 'then'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
])
const many = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const named = new Set(['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'])

const types = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])
const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0
const isNumber = (value: unknown): boolean => typeof value === 'number'
const isText = (value: unknown): boolean => typeof value === 'string'
const isFlag = (value: unknown): boolean => typeof value === 'boolean'
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
const areTypes = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 && value.every((one) => types.has(one)) : types.has(value as string)

/** Keywords without subschemas, with a check of their values. */
const plain: Readonly<Record<string, (value: unknown) => boolean>> = {
  $ref: isText,
  $anchor: isText,
  const: () => true,
  dependentRequired: (value) => isRecord(value) && Object.values(value).every(areTexts),
  enum: Array.isArray,
  exclusiveMaximum: isNumber,
  exclusiveMinimum: isNumber,
  format: isText,
  maxContains: isCount,
  maxItems: isCount,
  maxLength: isCount,
  maxProperties: isCount,
  maximum: isNumber,
  minContains: isCount,
  minItems: isCount,
  minLength: isCount,
  minProperties: isCount,
  minimum: isNumber,
  multipleOf: (value) => isNumber(value) && Number(value) > 0,
  nullable: isFlag,
  pattern: isText,
  required: areTexts,
  type: areTypes,
  uniqueItems: isFlag,
}

/** A file field accepts a URL, a data URI or an object with a `uri`, independent of the author's schema. */
const fileSchema: SchemaNode = {
  anyOf: [{ type: 'string' }, { type: 'object', properties: { uri: { type: 'string' } }, required: ['uri'] }],
}

const containsSchemas = (key: string, value: unknown): boolean =>
  one.has(key) || (many.has(key) && Array.isArray(value) && value.length > 0) || (named.has(key) && isRecord(value))

/** Throws `SchemaFault` if the schema is invalid or too large. */
export const copySchema = (given: unknown, maxSubschemas: number = limits.subschemas): SchemaCopy => {
  if (JSON.stringify(given).length > limits.schemaBytes)
    throw new SchemaFault(`is larger than ${limits.schemaBytes} bytes`)
  const patterns = createPatterns()
  const anchors = new Map<string, SchemaNode>()
  const nodes = new Set<unknown>()
  const references = new Set<string>()
  let count = 0

  const copy = (schema: unknown, depth: number): SchemaNode => {
    if (typeof schema === 'boolean') return schema
    if (!isRecord(schema)) throw new SchemaFault('must be a JSON Schema: an object, true or false')
    count += 1
    if (count > maxSubschemas) throw new SchemaFault(`has more than ${maxSubschemas} subschemas`)
    if (depth > limits.depth) throw new SchemaFault(`is nested deeper than ${limits.depth}`)
    if (schema.format === 'file') return fileSchema
    const result: Record<string, unknown> = {}
    nodes.add(result)
    for (const [key, value] of Object.entries(fromDraft7(schema))) {
      if (containsSchemas(key, value)) result[key] = copySubschemas(value, key, depth + 1)
      else if (many.has(key) || named.has(key)) throw new SchemaFault(`schema is invalid: ${key} holds no schemas`)
      else if (Object.hasOwn(plain, key)) result[key] = checkedKeyword(key, value)
    }
    if (typeof result.$ref === 'string') references.add(result.$ref)
    if (typeof result.$anchor === 'string') anchors.set(result.$anchor, result)
    if (typeof result.pattern === 'string' && !patterns.add(result.pattern)) delete result.pattern
    return dropUnmatched(result, patterns.add)
  }
  const copySubschemas = (value: unknown, key: string, depth: number): unknown => {
    if (one.has(key)) return copy(value, depth)
    if (Array.isArray(value)) return value.map((item) => copy(item, depth))
    return Object.fromEntries(Object.entries(value as object).map(([name, item]) => [name, copy(item, depth)]))
  }

  const root = copy(given, 0)
  const isNode = (found: unknown): found is SchemaNode =>
    typeof found === 'boolean' || found === fileSchema || nodes.has(found)
  const targets = new Map<string, SchemaNode>()
  for (const text of references) {
    const found = findTarget(text, root, anchors)
    if (isNode(found)) targets.set(text, found)
  }
  return {
    root,
    subschemas: count,
    patterns: patterns.known,
    skippedPatterns: patterns.skipped,
    target: (reference) => targets.get(reference),
  }
}

/** Throws if a reference does not resolve. Required when a schema is published. */
export const requireTargets = (copy: SchemaCopy): void => {
  const visit = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return
    const { $ref } = node as { $ref?: unknown }
    if (typeof $ref === 'string' && copy.target($ref) === undefined)
      throw new SchemaFault(`has a reference that does not resolve: ${$ref.slice(0, 100)}`)
    for (const [key, value] of Object.entries(node)) if (containsSchemas(key, value)) requireTargetsIn(value, key)
  }
  const requireTargetsIn = (value: unknown, key: string): void => {
    if (one.has(key)) visit(value)
    else for (const item of Object.values(value as object)) visit(item)
  }
  visit(copy.root)
}

const checkedKeyword = (key: string, value: unknown): unknown => {
  if (plain[key]?.(value)) return value
  throw new SchemaFault(`schema is invalid: ${key} must not be ${JSON.stringify(value)?.slice(0, 100)}`)
}

/** Converts a draft 7 tuple to `prefixItems`. */
const fromDraft7 = (schema: Record<string, unknown>): Record<string, unknown> => {
  if (!Array.isArray(schema.items)) return schema
  const { items, additionalItems, ...rest } = schema
  return { ...rest, prefixItems: items, ...(additionalItems === undefined ? {} : { items: additionalItems }) }
}

/** If a pattern is skipped, additional properties cannot be determined, so all are accepted. */
const dropUnmatched = (schema: Record<string, unknown>, add: (pattern: string) => boolean): Record<string, unknown> => {
  if (!isRecord(schema.patternProperties)) return schema
  const entries = Object.entries(schema.patternProperties)
  const matchable = entries.filter(([pattern]) => add(pattern))
  if (matchable.length === entries.length) return schema
  delete schema.additionalProperties
  delete schema.unevaluatedProperties
  schema.patternProperties = Object.fromEntries(matchable)
  return schema
}

const findTarget = (text: string, root: SchemaNode, anchors: ReadonlyMap<string, SchemaNode>): unknown => {
  if (text === '#') return root
  if (!text.startsWith('#')) return undefined
  if (!text.startsWith('#/')) return anchors.get(text.slice(1))
  return text
    .slice(2)
    .split('/')
    .reduce<unknown>((held, step) => {
      const key = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~')
      return held !== null && typeof held === 'object' && Object.hasOwn(held, key)
        ? (held as Record<string, unknown>)[key]
        : undefined
    }, root)
}

const decoded = (step: string): string => {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

const createPatterns = () => {
  const known = new Map<string, LinearRegExp>()
  const skipped: string[] = []
  let left: number = limits.patternCost
  /** False if the pattern cannot be matched in linear time. */
  const add = (pattern: string): boolean => {
    if (known.has(pattern)) return true
    left -= patternCost(pattern)
    if (left < 0) throw new SchemaFault('has patterns that are too long, or too many of them')
    try {
      known.set(pattern, linearRegExp(pattern))
      return true
    } catch {
      if (!isRegExp(pattern))
        throw new SchemaFault(`has a pattern that is not a regular expression: ${pattern.slice(0, 100)}`)
      skipped.push(pattern.slice(0, 100))
      return false
    }
  }
  return { known, skipped, add }
}

/** The pattern is parsed but never matched. */
const isRegExp = (pattern: string): boolean => {
  try {
    new RegExp(pattern)
    return true
  } catch {
    return false
  }
}
