// Strings at places where an output schema expects a file: local paths are passed to `take`, URLs are left unchanged.

const isObject = (value) => value !== null && typeof value === 'object'
const isPlain = (value) => isObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value))
const isAddress = (text) => text === '' || /^(https?|data):/i.test(text)

export function fileFields(schema, value, take) {
  if (!isObject(schema) || !JSON.stringify(schema).includes('"format":"file"')) return value
  return visit(schema, value, { root: schema, take, met: new Set() })
}

function visit(schema, value, walk) {
  if (!isObject(schema) || value === null || value === undefined || walk.met.has(schema)) return value
  if (schema.format === 'file') return typeof value === 'string' && !isAddress(value) ? walk.take(value) : value
  const met = new Set([...walk.met, schema])
  let result = value
  for (const part of partsOf(schema, walk.root)) result = visit(part, result, { ...walk, met })
  const inner = { ...walk, met: new Set() }
  if (Array.isArray(result)) return result.map((item) => visit(schema.items, item, inner))
  if (!isPlain(result)) return result
  return Object.fromEntries(
    Object.entries(result).map(([key, member]) => [key, visit(schema.properties?.[key], member, inner)]),
  )
}

function partsOf(schema, root) {
  const parts = [schema.allOf, schema.anyOf, schema.oneOf].flatMap((list) => list ?? [])
  if (!String(schema.$ref ?? '').startsWith('#/')) return parts
  const steps = schema.$ref.slice(2).split('/')
  return [...parts, steps.reduce((at, step) => at?.[step], root)]
}
