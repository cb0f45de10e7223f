// What is wrong with a value, by the path of the field. Pure.
import { kindOf, labelOf, type Schema, simplify, typesOf, variantsOf } from './schema.ts'

export type Fault = { path: string; message: string }

const below = (path: string, name: string | number): string => (path === '' ? String(name) : `${path}.${name}`)

const typeOf = (value: unknown): string => {
  if (Array.isArray(value)) return 'array'
  if (value === null) return 'null'
  return Number.isInteger(value) ? 'integer' : typeof value
}

const fits = (value: unknown, types: readonly string[]): boolean => {
  const type = typeOf(value)
  return types.includes(type) || (type === 'integer' && types.includes('number'))
}

const numberFault = (value: number, schema: Schema): string | undefined => {
  if (schema.minimum !== undefined && value < schema.minimum) return `At least ${schema.minimum}`
  if (schema.maximum !== undefined && value > schema.maximum) return `At most ${schema.maximum}`
  if (schema.exclusiveMinimum !== undefined && value <= schema.exclusiveMinimum)
    return `More than ${schema.exclusiveMinimum}`
  if (schema.exclusiveMaximum !== undefined && value >= schema.exclusiveMaximum)
    return `Less than ${schema.exclusiveMaximum}`
  return undefined
}

const textFault = (value: string, schema: Schema): string | undefined => {
  if (schema.minLength !== undefined && value.length < schema.minLength)
    return `At least ${schema.minLength} characters`
  if (schema.maxLength !== undefined && value.length > schema.maxLength) return `At most ${schema.maxLength} characters`
  return undefined
}

const ownFault = (value: unknown, schema: Schema): string | undefined => {
  if (schema.enum && !schema.enum.some((each) => JSON.stringify(each) === JSON.stringify(value)))
    return 'Choose one of the list'
  const types = typesOf(schema)
  if (types.length > 0 && !fits(value, types)) return `This must be ${types.join(' or ')}`
  if (typeof value === 'number') return numberFault(value, schema)
  if (typeof value === 'string') return textFault(value, schema)
  if (Array.isArray(value)) {
    if (schema.minItems !== undefined && value.length < schema.minItems) return `At least ${schema.minItems} items`
    if (schema.maxItems !== undefined && value.length > schema.maxItems) return `At most ${schema.maxItems} items`
  }
  return undefined
}

export const faultsOf = (given: Schema, value: unknown, root: Schema, path = ''): Fault[] => {
  const schema = simplify(given, root)
  if (kindOf(schema) === 'union') {
    const tried = variantsOf(schema, root).map((variant) => faultsOf(variant, value, root, path))
    return tried.some((faults) => faults.length === 0) ? [] : (tried[0] ?? [])
  }
  const own = ownFault(value, schema)
  if (own !== undefined) return [{ path, message: own }]
  if (Array.isArray(value) && typeof schema.items === 'object') {
    const { items } = schema
    return value.flatMap((item, index) => faultsOf(items, item, root, below(path, index)))
  }
  if (typeof value !== 'object' || value === null) return []
  const fields = value as Record<string, unknown>
  const missing = (schema.required ?? [])
    .filter((name) => fields[name] === undefined || fields[name] === '')
    .map((name) => ({
      path: below(path, name),
      message: `${labelOf(schema.properties?.[name] ?? {}, name)} is needed`,
    }))
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
    fields[name] === undefined || missing.some((fault) => fault.path === below(path, name))
      ? []
      : faultsOf(each, fields[name], root, below(path, name)),
  )
  return [...missing, ...inner]
}
