// Validates input against an operation's schemas and names the invalid field. Validators are compiled on first use, so
// that the start does not compile hundreds of unused ones.
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formatsModule from 'ajv-formats'
import type { TSchema } from 'typebox'
import { fail } from './errors.ts'

const addFormats = formatsModule.default

const options = { allErrors: false, strict: false, useDefaults: false, removeAdditional: false } as const
const bodyAjv = new Ajv2020({ ...options, coerceTypes: false })
const queryAjv = new Ajv2020({ ...options, coerceTypes: true })
addFormats(bodyAjv)
addFormats(queryAjv)

export type Validator = (value: unknown) => unknown

/** A type guard from a schema, for frames that arrive outside of a request. Compiled on first use. */
export const compile = <T>(schema: TSchema): ((value: unknown) => value is T) => {
  let compiled: ValidateFunction | undefined
  const strip = nullStripper(schema)
  return (value): value is T => {
    compiled ??= bodyAjv.compile(schema)
    strip?.(value)
    return compiled(value) as boolean
  }
}

type Where = 'body' | 'query' | 'path'

type MissingField = 'invalid_request' | 'validation_error'

export type ReadOptions = {
  missingField?: MissingField | undefined
  wrongField?: MissingField | undefined
  /** Path and query contain parsed values instead of text. */
  values?: boolean
}

export const validator = (
  schema: TSchema,
  where: Where,
  { missingField = 'validation_error', wrongField = 'validation_error', values = where === 'body' }: ReadOptions = {},
): Validator => {
  let compiled: ValidateFunction | undefined
  const strip = nullStripper(schema)
  const drop = where === 'body' ? unknownDropper(schema) : undefined
  return (value) => {
    compiled ??= (values ? bodyAjv : queryAjv).compile(schema)
    const input = where === 'query' && !values ? parseJsonParameters(schema, value) : value
    strip?.(input)
    drop?.(input)
    if (!compiled(input)) throw describe(compiled.errors?.[0], where, { missingField, wrongField })
    return input
  }
}

const describe = (
  error: ErrorObject | undefined,
  where: Where,
  { missingField, wrongField }: { missingField: MissingField; wrongField: MissingField },
) => {
  if (!error) return fail(wrongField, `The ${where} is not valid`)
  const place = error.instancePath.slice(1).replaceAll('/', '.')
  if (error.keyword === 'required') {
    const { missingProperty } = error.params as { missingProperty: string }
    return fail(missingField, `${[place, missingProperty].filter(Boolean).join('.')} is required`)
  }
  if (place === '')
    return fail(where === 'body' ? 'invalid_request' : 'validation_error', `The ${where} ${error.message}`)
  if (error.keyword === 'pattern' && error.params.pattern === notBlank)
    return fail(wrongField, `${place} must not be blank`)
  const choices =
    error.keyword === 'enum' ? `: ${(error.params as { allowedValues: unknown[] }).allowedValues.join(', ')}` : ''
  return fail(wrongField, `${place} ${error.message}${choices}`)
}

/** The pattern of names: at least one character that is not white space. */
const notBlank = '\\S'

type ObjectSchema = {
  type?: unknown
  properties?: Record<string, ObjectSchema>
  required?: string[]
  /** Of a record: one schema for all members. */
  patternProperties?: Record<string, ObjectSchema>
  additionalProperties?: unknown
  items?: ObjectSchema
  anyOf?: ObjectSchema[]
  const?: unknown
}

type Stripper = (value: unknown) => void

/** Null in an optional field means "absent", unless the schema permits null. */
export const nullStripper = (schema: ObjectSchema): Stripper | undefined => {
  const { properties, patternProperties, items, anyOf } = schema
  if (anyOf) return unionStripper(anyOf)
  if (items) {
    const each = nullStripper(items)
    return each && ((value) => Array.isArray(value) && value.forEach(each))
  }
  if (!properties) return recordStripper(Object.values(patternProperties ?? {}))
  const required = new Set(schema.required)
  const optional = Object.entries(properties).filter(([name, property]) => !required.has(name) && !admitsNull(property))
  const nested = Object.entries(properties).flatMap(([name, property]) => {
    const strip = nullStripper(property)
    return strip ? [{ name, strip }] : []
  })
  if (optional.length === 0 && nested.length === 0) return undefined
  return (value) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return
    const record = value as Record<string, unknown>
    for (const [name] of optional) if (record[name] === null) delete record[name]
    for (const { name, strip } of nested) strip(record[name])
  }
}

/**
 * Deletes undeclared top-level fields, so that code that stores a whole body stores only validated fields. Nested
 * objects keep unknown fields, because they contain user data.
 */
const unknownDropper = (schema: ObjectSchema): ((value: unknown) => void) | undefined => {
  const { properties, patternProperties, additionalProperties } = schema
  if (!properties || patternProperties || additionalProperties !== undefined) return undefined
  return (value) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return
    const record = value as Record<string, unknown>
    for (const name of Object.keys(record)) if (!Object.hasOwn(properties, name)) delete record[name]
  }
}

const recordStripper = ([inner]: readonly ObjectSchema[]): Stripper | undefined => {
  if (!inner) return undefined
  const each = nullStripper(inner)
  const drops = !admitsNull(inner)
  if (!each && !drops) return undefined
  return (value) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return
    const record = value as Record<string, unknown>
    for (const [name, one] of Object.entries(record)) {
      if (one === null && drops) delete record[name]
      else each?.(one)
    }
  }
}

/**
 * Strips with the alternative that matches the value: the only object, the only array, or the object whose `type`
 * matches.
 */
const unionStripper = (union: readonly ObjectSchema[]): Stripper | undefined => {
  const shapes = union.flatMap(alternativesOf)
  const objects = shapes.filter((shape) => mayBe(shape, 'object'))
  const lists = shapes.filter((shape) => mayBe(shape, 'array'))
  const stripObject = objects.length === 1 ? objects.map(nullStripper)[0] : namedStripper(objects)
  const stripList = lists.length === 1 ? lists.map(nullStripper)[0] : undefined
  if (!stripObject || !stripList) return stripObject ?? stripList
  return (value) => (Array.isArray(value) ? stripList(value) : stripObject(value))
}

const alternativesOf = (schema: ObjectSchema): ObjectSchema[] => schema.anyOf?.flatMap(alternativesOf) ?? [schema]

const mayBe = ({ type }: ObjectSchema, kind: 'object' | 'array'): boolean =>
  type === undefined || type === kind || (Array.isArray(type) && type.includes(kind))

/** Selects the alternative by the `type` of the value. */
const namedStripper = (shapes: readonly ObjectSchema[]): Stripper | undefined => {
  const byType = new Map<unknown, Stripper>()
  for (const shape of shapes) {
    const strip = nullStripper(shape)
    const type = shape.properties?.type?.const
    if (strip && type !== undefined) byType.set(type, strip)
  }
  if (byType.size === 0) return undefined
  return (value) => byType.get((value as { type?: unknown } | null)?.type)?.(value)
}

const admitsNull = (schema: ObjectSchema): boolean => {
  if (Array.isArray(schema.type)) return schema.type.includes('null')
  if (schema.anyOf) return schema.anyOf.some(admitsNull)
  return schema.type === undefined || schema.type === 'null'
}

/** In a query, an array or object is JSON text in one parameter. */
const parseJsonParameters = (schema: ObjectSchema, value: unknown): unknown => {
  const query = value as Record<string, unknown>
  const parsed: Record<string, unknown> = { ...query }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const raw = query[name]
    if (property.type !== 'array' && property.type !== 'object') {
      // The last value of a repeated parameter counts.
      if (Array.isArray(raw)) parsed[name] = raw.at(-1)
      continue
    }
    if (raw === undefined) continue
    if (raw === '') {
      delete parsed[name]
      continue
    }
    if (typeof raw !== 'string') throw fail('validation_error', `${name} must be JSON text, given once`)
    try {
      parsed[name] = parseUntrustedJson(raw)
    } catch {
      throw fail('validation_error', `${name} must be JSON text`)
    }
  }
  return parsed
}
