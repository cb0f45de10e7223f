// Object keywords.
import { matches } from './check-scalar.ts'
import type { SchemaNode } from './schema-copy.ts'
import { type Check, type CheckPosition, inside, type ValueFault } from './steps.ts'

type Keywords = { readonly [keyword: string]: unknown }
type Members = Readonly<Record<string, unknown>>

export const checkObject = (check: Check, schema: Keywords, value: Members, at: CheckPosition): ValueFault | null => {
  const names = Object.keys(value)
  const { maxProperties, minProperties } = schema as Record<string, number | undefined>
  const fault = (keyword: string, message: string): ValueFault => ({ keyword, place: at.place, message })
  if (maxProperties !== undefined && names.length > maxProperties)
    return fault('maxProperties', `must NOT have more than ${maxProperties} properties`)
  if (minProperties !== undefined && names.length < minProperties)
    return fault('minProperties', `must NOT have fewer than ${minProperties} properties`)
  return (
    checkRequired(check, schema, value, at) ??
    checkNames(check, schema, names, at) ??
    checkMembers(check, schema, value, at) ??
    checkDependents(check, schema, value, at) ??
    checkRest(check, schema.unevaluatedProperties, 'unevaluatedProperties', value, at)
  )
}

const checkRequired = (check: Check, schema: Keywords, value: Members, at: CheckPosition): ValueFault | null => {
  const required = (schema.required ?? []) as string[]
  check.charge(required.length)
  const missing = required.find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined)
    return {
      keyword: 'required',
      place: at.place,
      message: `must have required property '${missing}'`,
      detail: missing,
    }
  for (const [name, others] of Object.entries((schema.dependentRequired ?? {}) as Record<string, string[]>)) {
    check.charge(1 + others.length)
    const missing = Object.hasOwn(value, name) && others.find((other) => !Object.hasOwn(value, other))
    if (typeof missing === 'string')
      return {
        keyword: 'dependentRequired',
        place: at.place,
        message: `must have property ${missing} when property ${name} is present`,
      }
  }
  return null
}

const checkNames = (check: Check, schema: Keywords, names: readonly string[], at: CheckPosition): ValueFault | null => {
  if (schema.propertyNames === undefined) return null
  const isBad = (name: string) => check.fits(schema.propertyNames as SchemaNode, name, { ...at, seen: null }) !== null
  return names.some(isBad)
    ? { keyword: 'propertyNames', place: at.place, message: 'property name must be valid' }
    : null
}

const checkMembers = (check: Check, schema: Keywords, value: Members, at: CheckPosition): ValueFault | null => {
  const properties = (schema.properties ?? {}) as Record<string, SchemaNode>
  const patterns = Object.entries((schema.patternProperties ?? {}) as Record<string, SchemaNode>)
  const known = new Set<string>()
  const member = (name: string, form: SchemaNode): ValueFault | null => {
    known.add(name)
    at.seen?.names.add(name)
    return check.fits(form, value[name], inside(at, name))
  }
  for (const [name, form] of Object.entries(properties)) {
    const fault = Object.hasOwn(value, name) ? member(name, form) : null
    if (fault) return fault
  }
  check.charge(Object.keys(properties).length)
  for (const [pattern, form] of patterns)
    for (const name of Object.keys(value)) {
      const fault = matches(check, pattern, name) ? member(name, form) : null
      if (fault) return fault
    }
  return checkRest(check, schema.additionalProperties, 'additionalProperties', value, { ...at, known })
}

/** Members that no earlier keyword evaluated. */
const checkRest = (
  check: Check,
  form: unknown,
  keyword: 'additionalProperties' | 'unevaluatedProperties',
  value: Members,
  at: CheckPosition & { known?: ReadonlySet<string> },
): ValueFault | null => {
  if (form === undefined) return null
  const earlier = at.known ?? at.seen?.names
  for (const name of Object.keys(value)) {
    check.charge(1)
    if (earlier?.has(name)) continue
    if (form === false) {
      const word = keyword === 'additionalProperties' ? 'additional' : 'unevaluated'
      return { keyword, place: at.place, message: `must NOT have ${word} properties`, detail: name }
    }
    const fault = check.fits(form as SchemaNode, value[name], inside(at, name))
    if (fault) return fault
    at.seen?.names.add(name)
  }
  return null
}

const checkDependents = (check: Check, schema: Keywords, value: Members, at: CheckPosition): ValueFault | null => {
  for (const [name, form] of Object.entries((schema.dependentSchemas ?? {}) as Record<string, SchemaNode>)) {
    check.charge(1)
    const fault = Object.hasOwn(value, name) ? check.fits(form, value, at) : null
    if (fault) return fault
  }
  return null
}
