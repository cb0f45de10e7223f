// Validates a value against a JSON Schema and returns the faults by field path. Pure.
import { kindOf, labelOf, type Schema, simplify, typesOf, variantsOf } from './schema.ts'
import { strings } from './strings.ts'

const words = strings.faults

export type Fault = { path: string; message: string }

const childPath = (path: string, name: string | number): string => (path === '' ? String(name) : `${path}.${name}`)

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
  if (schema.minimum !== undefined && value < schema.minimum) return words.minimum(schema.minimum)
  if (schema.maximum !== undefined && value > schema.maximum) return words.maximum(schema.maximum)
  if (schema.exclusiveMinimum !== undefined && value <= schema.exclusiveMinimum)
    return words.above(schema.exclusiveMinimum)
  if (schema.exclusiveMaximum !== undefined && value >= schema.exclusiveMaximum)
    return words.below(schema.exclusiveMaximum)
  return undefined
}

const textFault = (value: string, schema: Schema): string | undefined => {
  if (schema.minLength !== undefined && value.length < schema.minLength) return words.minLength(schema.minLength)
  if (schema.maxLength !== undefined && value.length > schema.maxLength) return words.maxLength(schema.maxLength)
  return undefined
}

const ownFault = (value: unknown, schema: Schema): string | undefined => {
  if (schema.const !== undefined && JSON.stringify(schema.const) !== JSON.stringify(value)) return words.enum
  if (schema.enum && !schema.enum.some((each) => JSON.stringify(each) === JSON.stringify(value))) return words.enum
  const types = typesOf(schema)
  if (types.length > 0 && !fits(value, types)) return words.type(types)
  if (typeof value === 'number') return numberFault(value, schema)
  if (typeof value === 'string') return textFault(value, schema)
  if (Array.isArray(value)) {
    if (schema.minItems !== undefined && value.length < schema.minItems) return words.minItems(schema.minItems)
    if (schema.maxItems !== undefined && value.length > schema.maxItems) return words.maxItems(schema.maxItems)
  }
  return undefined
}

const constFaults = (variant: Schema, value: unknown, root: Schema): number =>
  Object.entries(variant.properties ?? {}).filter(([name, each]) => {
    const expected = simplify(each, root).const
    const actual = (value as Record<string, unknown> | null | undefined)?.[name]
    return expected !== undefined && JSON.stringify(expected) !== JSON.stringify(actual)
  }).length

/** The variant of a union that a value belongs to: one without faults, else the one with the fewest wrong constants. */
export const variantFor = (union: Schema, value: unknown, root: Schema): number => {
  const variants = variantsOf(union, root)
  if (value === undefined) return 0
  const valid = variants.findIndex((variant) => faultsOf(variant, value, root).length === 0)
  if (valid >= 0) return valid
  const type = typeOf(value)
  const fitting = variants.flatMap((variant, index) => {
    const types = typesOf(variant)
    return types.length === 0 || types.includes(type) ? [{ index, wrong: constFaults(variant, value, root) }] : []
  })
  return fitting.toSorted((a, b) => a.wrong - b.wrong)[0]?.index ?? 0
}

export const faultsOf = (given: Schema, value: unknown, root: Schema, path = ''): Fault[] => {
  const schema = simplify(given, root)
  if (kindOf(schema) === 'union') {
    return faultsOf(variantsOf(schema, root)[variantFor(schema, value, root)] ?? {}, value, root, path)
  }
  if (kindOf(schema) === 'null') return value === null ? [] : [{ path, message: words.type(['null']) }]
  const own = ownFault(value, schema)
  if (own !== undefined) return [{ path, message: own }]
  if (Array.isArray(value) && typeof schema.items === 'object') {
    const { items } = schema
    return value.flatMap((item, index) => faultsOf(items, item, root, childPath(path, index)))
  }
  if (typeof value !== 'object' || value === null) return []
  const fields = value as Record<string, unknown>
  const missing = (schema.required ?? [])
    .filter((name) => fields[name] === undefined || fields[name] === '')
    .map((name) => ({
      path: childPath(path, name),
      message: words.required(labelOf(schema.properties?.[name] ?? {}, name)),
    }))
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
    fields[name] === undefined || missing.some((fault) => fault.path === childPath(path, name))
      ? []
      : faultsOf(each, fields[name], root, childPath(path, name)),
  )
  return [...missing, ...inner]
}
