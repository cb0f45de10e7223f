// Copies a schema of an OpenAPI document with its references resolved, within a budget: circles and oversized parts
// become schemas that accept everything. Only keywords with valid values are copied, so the result always compiles.
import { isRecord } from '@millrace/contract/json'
import { follow, type Json, textOf } from './document.ts'

export type SchemaBudget = {
  /** Remaining subschemas. */
  left: number
  readonly document: Json
  /** Binary fields are files of the run. */
  readonly binaryIsFile: boolean
}

const maxDepth = 16
const maxDescription = 300
const maxEnum = 200
const maxValueLength = 1_000

const types = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])
const numbers = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']
const counts = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties']

const isShort = (value: unknown): boolean => (JSON.stringify(value) ?? '').length <= maxValueLength

const copyType = (type: unknown): Json => {
  const given = (Array.isArray(type) ? type : [type]).filter((one) => types.has(one as string))
  if (given.length === 0) return {}
  return { type: given.length === 1 ? given[0] : [...new Set(given)] }
}

const copyPlain = (schema: Json): Json => {
  const copy: Json = copyType(schema.type)
  const description = textOf(schema.description ?? schema.title, maxDescription)
  if (description !== '') copy.description = description
  if (typeof schema.format === 'string') copy.format = schema.format.slice(0, 64)
  for (const name of numbers) if (Number.isFinite(schema[name])) copy[name] = schema[name]
  for (const name of counts) if (Number.isInteger(schema[name]) && Number(schema[name]) >= 0) copy[name] = schema[name]
  if (
    Array.isArray(schema.enum) &&
    schema.enum.length > 0 &&
    schema.enum.length <= maxEnum &&
    schema.enum.every(isShort)
  )
    copy.enum = schema.enum
  for (const name of ['default', 'const'])
    if (schema[name] !== undefined && isShort(schema[name])) copy[name] = schema[name]
  return copy
}

const isBinary = ({ type, format, contentMediaType, contentEncoding }: Json): boolean =>
  (type === undefined || type === 'string') &&
  (format === 'binary' || (contentEncoding === undefined && contentMediaType === 'application/octet-stream'))

const copyObject = (schema: Json, copyOf: (value: unknown) => Json): Json => {
  if (!isRecord(schema.properties)) return {}
  const properties = Object.fromEntries(
    Object.entries(schema.properties)
      .filter(([, field]) => isRecord(field) && field.readOnly !== true)
      .map(([name, field]) => [name, copyOf(field)]),
  )
  const required = (Array.isArray(schema.required) ? schema.required : []).filter(
    (name) => typeof name === 'string' && Object.hasOwn(properties, name),
  )
  return { properties, ...(required.length > 0 ? { required: [...new Set(required)] } : {}) }
}

/** `above`: the schemas that contain this one, which a circle would repeat. */
export const copySchema = (budget: SchemaBudget, value: unknown, above: readonly unknown[] = []): Json => {
  const schema = follow(budget.document, value)
  if (!isRecord(schema)) return {}
  const shortened = above.includes(schema) || above.length >= maxDepth || budget.left <= 0
  budget.left -= 1
  if (shortened) return { description: 'Not described here: see the documentation of the service' }
  if (budget.binaryIsFile && isBinary(schema)) return { ...copyPlain(schema), type: 'string', format: 'file' }
  const inside = [...above, schema]
  const copyOf = (part: unknown): Json => copySchema(budget, part, inside)
  const copy: Json = { ...copyPlain(schema), ...copyObject(schema, copyOf) }
  if (schema.items !== undefined && schema.items !== true) copy.items = copyOf(schema.items)
  const { additionalProperties: more } = schema
  if (more === false) copy.additionalProperties = false
  else if (isRecord(more) && Object.keys(more).length > 0) copy.additionalProperties = copyOf(more)
  for (const name of ['allOf', 'anyOf', 'oneOf']) {
    const parts = schema[name]
    if (Array.isArray(parts) && parts.length > 0) copy[name] = parts.slice(0, 50).map(copyOf)
  }
  // `allOf` parts with readOnly fields or closed objects would refuse each other's fields.
  if (copy.allOf !== undefined) delete copy.additionalProperties
  return copy
}
