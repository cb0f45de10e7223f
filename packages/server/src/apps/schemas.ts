// JSON Schemas that an app's author wrote, made safe to check inputs with: strangers choose both the schema and the value.
// A copy is compiled that holds only known keywords, matches patterns in linear time and counts its steps. Pure.
import { isRecord } from '@millrace/contract/json'
import { canonicalJson } from '@millrace/contract/warm-key'
import { _, type AnySchema, type ErrorObject, type KeywordCxt } from 'ajv'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formatsModule from 'ajv-formats'
import { linearRegExp } from '../core/linear-regexp.ts'

const limits = {
  schemaBytes: 256 * 1024,
  subschemas: 1_500,
  depth: 64,
  stepsPerTurn: 10_000,
  checkMs: 500,
  patternSteps: 5_000_000,
} as const

const one = new Set([
  ...['additionalProperties', 'contains', 'else', 'if', 'items', 'not', 'propertyNames', 'then'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
])
const many = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const named = new Set(['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'])
const plain = new Set([
  ...['$ref', '$anchor', 'const', 'dependentRequired', 'enum', 'exclusiveMaximum', 'exclusiveMinimum', 'format'],
  ...['maxContains', 'maxItems', 'maxLength', 'maxProperties', 'maximum', 'minContains', 'minItems', 'minLength'],
  ...['minProperties', 'minimum', 'multipleOf', 'nullable', 'pattern', 'required', 'type', 'uniqueItems'],
])

/** A file field takes a URL, a data URI, or an object with a `uri`, whichever form its author's schema has. */
const fileSchema = {
  anyOf: [{ type: 'string' }, { type: 'object', properties: { uri: { type: 'string' } }, required: ['uri'] }],
}

class TooMuch extends Error {}

type Prepared = { schema: AnySchema; skippedPatterns: string[]; subschemas: number }

/** The copy that is compiled. Throws a sentence about what is wrong with the schema. */
const prepare = (root: unknown): Prepared => {
  if (JSON.stringify(root).length > limits.schemaBytes) throw new TooMuch(`is larger than ${limits.schemaBytes} bytes`)
  const skippedPatterns: string[] = []
  let count = 0

  const isLinear = (pattern: string): boolean => {
    try {
      linearRegExp(pattern)
      return true
    } catch {
      if (!isRegExp(pattern)) throw new TooMuch(`has a pattern that is no regular expression: ${pattern.slice(0, 100)}`)
      skippedPatterns.push(pattern.slice(0, 100))
      return false
    }
  }

  const copy = (schema: unknown, depth: number): AnySchema => {
    if (typeof schema === 'boolean') return schema
    if (!isRecord(schema)) throw new TooMuch('must be a JSON Schema: an object, true or false')
    count += 1
    if (count > limits.subschemas) throw new TooMuch(`has more than ${limits.subschemas} subschemas`)
    if (depth > limits.depth) throw new TooMuch(`is nested deeper than ${limits.depth}`)
    if (schema.format === 'file') return { ...fileSchema, countStep: true }
    const result: Record<string, unknown> = { countStep: true }
    for (const [key, value] of Object.entries(fromDraft7(schema))) {
      if (one.has(key)) result[key] = copy(value, depth + 1)
      else if (many.has(key) && Array.isArray(value)) result[key] = value.map((item) => copy(item, depth + 1))
      else if (named.has(key) && isRecord(value))
        result[key] = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, copy(item, depth + 1)]))
      else if (plain.has(key) || many.has(key) || named.has(key)) result[key] = value
    }
    if (typeof result.pattern === 'string' && !isLinear(result.pattern)) delete result.pattern
    return withLinearNames(result, isLinear)
  }

  const schema = copy(root, 0)
  return { schema: typeof schema === 'boolean' ? { allOf: [schema] } : schema, skippedPatterns, subschemas: count }
}

/** Only compiled, which takes no time to speak of; never matched. */
const isRegExp = (pattern: string): boolean => {
  try {
    new RegExp(pattern)
    return true
  } catch {
    return false
  }
}

/** A tuple of the older drafts in today's words. */
const fromDraft7 = (schema: Record<string, unknown>): Record<string, unknown> => {
  if (!Array.isArray(schema.items)) return schema
  const { items, additionalItems, ...rest } = schema
  return { ...rest, prefixItems: items, ...(additionalItems === undefined ? {} : { items: additionalItems }) }
}

/** Without one of its patterns, "additional" properties cannot be told: then any are accepted. */
const withLinearNames = (
  schema: Record<string, unknown>,
  isLinear: (pattern: string) => boolean,
): Record<string, unknown> => {
  if (!isRecord(schema.patternProperties)) return schema
  const entries = Object.entries(schema.patternProperties)
  const kept = entries.filter(([pattern]) => isLinear(pattern))
  if (kept.length === entries.length) return schema
  const { additionalProperties: _a, unevaluatedProperties: _u, ...rest } = schema
  return { ...rest, patternProperties: Object.fromEntries(kept) }
}

const regExp = (pattern: string) => {
  const compiled = linearRegExp(pattern)
  return {
    test: (text: string): boolean => {
      if (compiled.size * text.length > limits.patternSteps) throw new TooMuch('a text is too long for its pattern')
      return compiled.test(text)
    },
    // Ajv tells patterns apart by their text.
    toString: () => pattern,
  }
}

/** Checking happens on the one thread that serves everybody: every few thousand steps it looks at the clock. */
const meter = {
  left: 0,
  turn: (): void => {
    throw new TooMuch('it is not being checked')
  },
}

const startMeter = (nowMs: () => number): void => {
  const endMs = nowMs() + limits.checkMs
  meter.left = limits.stepsPerTurn
  meter.turn = () => {
    if (nowMs() > endMs) throw new TooMuch('checking it takes too long')
    meter.left = limits.stepsPerTurn
  }
}

const options = {
  strict: false,
  logger: false,
  inlineRefs: false,
  // Optimising takes time with the square of the schema's size.
  code: { regExp: Object.assign(regExp, { code: '' }), optimize: false },
} as const
const ajv = new Ajv2020(options)
formatsModule.default(ajv)
ajv.addKeyword({
  keyword: 'countStep',
  code: ({ gen }: KeywordCxt) => {
    const shared = gen.scopeValue('obj', { ref: meter })
    gen.code(_`if (--${shared}.left < 0) ${shared}.turn()`)
  },
})
// The library compares every pair of items.
ajv.removeKeyword('uniqueItems')
ajv.addKeyword({
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  errors: false,
  validate: (wanted: boolean, items: unknown[]) =>
    !wanted || new Set(items.map((item) => canonicalJson(item))).size === items.length,
})

export type CompiledSchema = {
  /** The first violation as a sentence that starts with the field's place under `name`; null when the value fits. */
  fault(value: unknown, name: string, nowMs?: () => number): string | null
  /** Patterns that cannot be matched in linear time and are therefore not checked. */
  skippedPatterns: readonly string[]
  /** How much there was to compile. */
  subschemas: number
}

/** Throws an error whose message completes "input_schema …". */
export const compileSchema = (source: unknown): CompiledSchema => {
  const { schema, skippedPatterns, subschemas } = prepare(source)
  const validate = compile(schema)
  return {
    skippedPatterns,
    subschemas,
    fault: (value, name, nowMs = () => performance.now()) => {
      startMeter(nowMs)
      try {
        return validate(value) ? null : describe(validate.errors ?? [], name)
      } catch (error) {
        if (error instanceof TooMuch || error instanceof RangeError)
          return `${name} cannot be checked: ${error.message}`
        throw error
      }
    },
  }
}

const compile = (schema: AnySchema): ValidateFunction => {
  try {
    return ajv.compile(schema)
  } catch (error) {
    throw error instanceof RangeError ? new TooMuch('refers to itself through too many steps') : error
  } finally {
    // The library keeps every schema it has seen.
    ajv.removeSchema(schema)
  }
}

const place = (error: ErrorObject, name: string): string => {
  const steps = error.instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  return [name, ...steps].join('.')
}

const describe = (errors: readonly ErrorObject[], name: string): string => {
  const last = errors.at(-1)
  if (!last) return `${name} is not valid`
  const at = place(last, name)
  switch (last.keyword) {
    case 'required':
      return `${at}.${last.params.missingProperty} is required`
    case 'additionalProperties':
      return `${at}.${last.params.additionalProperty} is not a known field`
    case 'unevaluatedProperties':
      return `${at}.${last.params.unevaluatedProperty} is not a known field`
    case 'enum':
      return `${at} must be one of ${last.params.allowedValues.map((value: unknown) => JSON.stringify(value)).join(', ')}`
    case 'uniqueItems':
      return `${at} must not hold the same item twice`
    case 'anyOf':
    case 'oneOf': {
      const types = errors.filter((error) => error.keyword === 'type' && error.instancePath === last.instancePath)
      return types.length > 0 && types.length === errors.length - 1
        ? `${at} must be ${types.map((error) => error.params.type).join(' or ')}`
        : `${at} matches none of the allowed forms`
    }
    default:
      return `${at} ${last.message ?? 'is not valid'}`
  }
}
