// Finds the values that a JSON Schema marks as files, at any depth, and replaces them. Pure apart from the replacing
// function.

type Schema = Record<string, unknown>

export type Replace = (value: unknown) => Promise<unknown>

export const replaceFileFields = (schema: unknown, value: unknown, replace: Replace): Promise<unknown> =>
  visit({ root: asSchema(schema), replace }, asSchema(schema), value, new Set())

export const hasFileFields = (schema: unknown): boolean => JSON.stringify(schema ?? null).includes('"format":"file"')

type Walk = { root: Schema; replace: Replace }

/** `met`: schemas already applied to this value, so that a self-referencing schema is applied once. */
const visit = async (walk: Walk, schema: Schema, value: unknown, met: Set<Schema>): Promise<unknown> => {
  if (value === null || value === undefined || met.has(schema)) return value
  met.add(schema)
  if (schema.format === 'file') return walk.replace(value)
  let result: unknown = value
  for (const part of alternatives(walk.root, schema)) result = await visit(walk, part, result, met)
  if (Array.isArray(result)) return visitItems(walk, schema, result)
  if (typeof result === 'object' && result !== null) return visitMembers(walk, schema, result)
  return result
}

const visitItems = async (walk: Walk, schema: Schema, items: unknown[]) => {
  if (!isSchema(schema.items)) return items
  const result: unknown[] = []
  for (const item of items) result.push(await visit(walk, schema.items, item, new Set()))
  return result
}

const visitMembers = async (walk: Walk, schema: Schema, members: object) => {
  const properties = asSchema(schema.properties)
  const rest = schema.additionalProperties
  const result: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(members)) {
    const own = Object.hasOwn(properties, key) ? properties[key] : rest
    result[key] = isSchema(own) ? await visit(walk, own, member, new Set()) : member
  }
  return result
}

const alternatives = (root: Schema, schema: Schema): Schema[] => {
  const parts = [schema.allOf, schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []))
  const referred = typeof schema.$ref === 'string' ? follow(root, schema.$ref) : undefined
  return [...parts, referred].filter(isSchema)
}

const follow = (root: Schema, reference: string): unknown => {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  let at: unknown = root
  for (const step of reference.slice(2).split('/')) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
    at = isSchema(at) ? at[key] : undefined
  }
  return at
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const asSchema = (value: unknown): Schema => (isSchema(value) ? value : {})
