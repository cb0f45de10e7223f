// Checks the input of a run against the flow's schema. Both may come from strangers, so the schema is first brought into
// a form whose checking takes time proportional to schema and input: references written out within a budget, patterns
// matched in linear time.
import { isRecord, own } from '@millrace/contract/json'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { linearRegExp } from '../../core/linear-regexp.ts'
import { pathSteps } from './paths.ts'

type Schema = Record<string, unknown>

const limits = { schemas: 5_000, depth: 64, patternSteps: 5_000_000 } as const

const one = new Set(['additionalProperties', 'contains', 'else', 'if', 'items', 'not', 'propertyNames', 'then'])
const many = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const named = new Set(['dependentSchemas', 'patternProperties', 'properties'])
const dropped = new Set(['$anchor', '$defs', '$dynamicAnchor', '$dynamicRef', '$id', '$ref', '$schema', 'definitions'])

/** A file may be given as a URL, a data URI, or an object with a `uri`. */
const file: Schema = {
  anyOf: [{ type: 'string' }, { type: 'object', properties: { uri: { type: 'string' } }, required: ['uri'] }],
}

const lookUp = (root: Schema, ref: unknown): unknown => {
  if (typeof ref !== 'string' || !ref.startsWith('#')) return undefined
  const steps = ref.slice(1).split('/').slice(1)
  return steps.reduce<unknown>((held, step) => {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(held)) return held[Number(key)]
    return isRecord(held) ? own(held, key) : undefined
  }, root)
}

/** The schema without references. Beyond the budget, and where a reference leads nowhere, anything is accepted. */
export const plainSchema = (root: Schema): Schema => {
  let left: number = limits.schemas
  const plain = (schema: unknown, depth: number): unknown => {
    if (typeof schema === 'boolean') return schema
    left -= 1
    if (!isRecord(schema) || depth > limits.depth || left < 0) return {}
    if (schema.format === 'file') return file
    const result: Schema = {}
    for (const [key, value] of Object.entries(schema)) {
      if (dropped.has(key)) continue
      if (one.has(key))
        result[key] = Array.isArray(value) ? value.map((item) => plain(item, depth + 1)) : plain(value, depth + 1)
      else if (many.has(key) && Array.isArray(value)) result[key] = value.map((item) => plain(item, depth + 1))
      else if (named.has(key) && isRecord(value)) {
        result[key] = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item, depth + 1)]))
      } else result[key] = value
    }
    // Comparing every pair of a long list of objects takes its square; of plain values it does not.
    if (isRecord(result.items) ? !isScalar(result.items.type) : true) delete result.uniqueItems
    if (!Object.hasOwn(schema, '$ref')) return result
    const target = plain(lookUp(root, schema.$ref), depth + 1)
    return Object.keys(result).length === 0 ? target : { allOf: [target, result] }
  }
  const result = plain(root, 0)
  return isRecord(result) ? result : {}
}

const isScalar = (type: unknown): boolean => typeof type === 'string' && type !== 'object' && type !== 'array'

const regExp = (pattern: string) => {
  const compiled = linearRegExp(pattern)
  return {
    test: (text: string): boolean => {
      if (compiled.size * text.length > limits.patternSteps) throw new Error('a text is too long for its pattern')
      return compiled.test(text)
    },
    // Ajv tells patterns apart by their text.
    toString: () => pattern,
  }
}

const ajv = new Ajv({
  strict: false,
  logger: false,
  code: { regExp: Object.assign(regExp, { code: 'regExp' }) },
})
addFormats.default(ajv, { mode: 'fast' })

const compiled = new WeakMap<Schema, ValidateFunction>()

const validatorOf = (schema: Schema): ValidateFunction => {
  const held = compiled.get(schema)
  if (held) return held
  const plain = plainSchema(schema)
  const validate = ajv.compile(plain)
  // Ajv keeps every schema it has seen; the flow version decides how long this one is wanted.
  ajv.removeSchema(plain)
  compiled.set(schema, validate)
  return validate
}

/** The first violation, naming the field; undefined when the values fit. Fits `inputFault` of run-input.ts. */
export const schemaFault = (schema: Schema, values: Record<string, unknown>): string | undefined => {
  try {
    const validate = validatorOf(schema)
    if (validate(values)) return undefined
    const [first] = validate.errors ?? []
    const path = pathSteps((first?.instancePath ?? '').replaceAll('/', '.')).join('.')
    return `input${path ? ` "${path}"` : ''} ${first?.message ?? 'is invalid'}`
  } catch (error) {
    return `the input cannot be checked: ${error instanceof Error ? error.message : String(error)}`
  }
}
