// JSON Schema of a zod 3 schema, which zod 3 cannot produce itself. Reads the internal definitions of its schemas.
// Types without a JSON form become `{}`, so that the schema never rejects a value that zod accepts.

export const isZod3 = (schema) => typeof schema?._def?.typeName === 'string'

/** `override(schema)` may return the JSON Schema of a schema instead. */
export function zod3ToJsonSchema(schema, io, override) {
  const around = new Set()
  const visit = (inner) => {
    // A recursive schema becomes `{}` at its second occurrence.
    if (around.has(inner)) return {}
    around.add(inner)
    const json = override(inner) ?? translate(inner, io, visit)
    around.delete(inner)
    const { description } = inner._def
    return description ? { ...json, description } : json
  }
  return visit(schema)
}

function translate({ _def: def }, io, visit) {
  switch (def.typeName) {
    case 'ZodString':
      return textSchema(def.checks)
    case 'ZodNumber':
      return numberSchema(def.checks)
    case 'ZodBoolean':
      return { type: 'boolean' }
    case 'ZodNull':
      return { type: 'null' }
    case 'ZodLiteral':
      return { const: def.value }
    case 'ZodEnum':
      return { type: 'string', enum: def.values }
    case 'ZodNativeEnum':
      return { enum: valuesOf(def.values) }
    case 'ZodDate':
      return { type: 'string', format: 'date-time' }
    case 'ZodArray':
      return arraySchema(def, visit)
    case 'ZodSet':
      return { type: 'array', uniqueItems: true, items: visit(def.valueType) }
    case 'ZodTuple':
      return { type: 'array', prefixItems: def.items.map(visit), ...(def.rest ? { items: visit(def.rest) } : {}) }
    case 'ZodObject':
      return objectSchema(def, io, visit)
    case 'ZodLazy':
      return visit(def.getter())
    case 'ZodRecord':
      return { type: 'object', additionalProperties: visit(def.valueType) }
    case 'ZodUnion':
      return { anyOf: def.options.map(visit) }
    case 'ZodDiscriminatedUnion':
      return { anyOf: [...def.options.values()].map(visit) }
    case 'ZodIntersection':
      return { allOf: [visit(def.left), visit(def.right)] }
    case 'ZodNullable':
      return { anyOf: [visit(def.innerType), { type: 'null' }] }
    case 'ZodDefault':
      return withDefault(visit(def.innerType), def.defaultValue)
    case 'ZodOptional':
    case 'ZodReadonly':
    case 'ZodCatch':
      return visit(def.innerType)
    case 'ZodBranded':
    case 'ZodPromise':
      return visit(def.type)
    case 'ZodEffects':
      // After a transform, the value may have any type.
      return io === 'output' && def.effect.type === 'transform' ? {} : visit(def.schema)
    case 'ZodPipeline':
      return visit(io === 'input' ? def.in : def.out)
    default:
      return {}
  }
}

const textFormats = { email: 'email', url: 'uri', uuid: 'uuid', datetime: 'date-time', date: 'date', time: 'time' }

function textSchema(checks = []) {
  const json = { type: 'string' }
  for (const check of checks) {
    if (check.kind === 'min') json.minLength = check.value
    else if (check.kind === 'max') json.maxLength = check.value
    else if (check.kind === 'length') Object.assign(json, { minLength: check.value, maxLength: check.value })
    else if (check.kind === 'regex' && check.regex.flags === '') json.pattern = check.regex.source
    else if (textFormats[check.kind]) json.format = textFormats[check.kind]
  }
  return json
}

function numberSchema(checks = []) {
  const json = { type: 'number' }
  for (const check of checks) {
    if (check.kind === 'int') json.type = 'integer'
    else if (check.kind === 'min') json[check.inclusive ? 'minimum' : 'exclusiveMinimum'] = check.value
    else if (check.kind === 'max') json[check.inclusive ? 'maximum' : 'exclusiveMaximum'] = check.value
    else if (check.kind === 'multipleOf') json.multipleOf = check.value
  }
  return json
}

function arraySchema(def, visit) {
  const min = def.exactLength ?? def.minLength
  const max = def.exactLength ?? def.maxLength
  return {
    type: 'array',
    items: visit(def.type),
    ...(min ? { minItems: min.value } : {}),
    ...(max ? { maxItems: max.value } : {}),
  }
}

function objectSchema(def, io, visit) {
  const shape = Object.entries(def.shape())
  const required = shape.filter(([, field]) => !mayBeMissing(field, io)).map(([name]) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(shape.map(([name, field]) => [name, visit(field)])),
    ...(required.length > 0 ? { required } : {}),
    ...(def.unknownKeys === 'strict' ? { additionalProperties: false } : {}),
  }
}

// A field with a default is optional in an input and always present in an output.
const mayBeMissing = (field, io) => {
  const def = field?._def ?? {}
  if (def.typeName === 'ZodOptional' || ['ZodAny', 'ZodUnknown', 'ZodUndefined'].includes(def.typeName)) return true
  if (def.typeName === 'ZodDefault' || def.typeName === 'ZodCatch') return io === 'input'
  const inner = def.typeName === 'ZodEffects' ? def.schema : def.typeName === 'ZodBranded' ? def.type : undefined
  return (inner ?? (def.typeName === 'ZodNullable' && def.innerType)) ? mayBeMissing(inner ?? def.innerType, io) : false
}

// An enum of numbers also maps its values back to their names.
const valuesOf = (values) =>
  Object.keys(values)
    .filter((key) => typeof values[values[key]] !== 'number')
    .map((key) => values[key])

function withDefault(json, defaultValue) {
  try {
    return { ...json, default: JSON.parse(JSON.stringify(defaultValue())) }
  } catch {
    return json
  }
}
