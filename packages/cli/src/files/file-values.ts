// Replaces the values that a JSON Schema marks as files, at any depth. Pure apart from the given function.

type Schema = Readonly<Record<string, unknown>>
export type Replace = (value: unknown, path: string) => Promise<unknown>

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const asSchema = (value: unknown): Schema => (isSchema(value) ? value : {})

/** A copy of the value with each file replaced. */
export const mapFileValues = (schema: unknown, value: unknown, replace: Replace): Promise<unknown> => {
  const root = asSchema(schema)
  // `known` contains the schemas that were applied to this value, which stops a schema that refers to itself.
  const visit = async (at: Schema, current: unknown, path: string, known: Set<Schema>): Promise<unknown> => {
    if (current === null || current === undefined || known.has(at)) return current
    known.add(at)
    if (at.format === 'file') return replace(current, path)
    let result: unknown = current
    for (const part of partsOf(root, at)) result = await visit(part, result, path, known)
    const inner = (own: unknown, member: unknown, key: string | number) =>
      isSchema(own) ? visit(own, member, path === '' ? `${key}` : `${path}.${key}`, new Set()) : member
    if (Array.isArray(result)) return Promise.all(result.map((item, index) => inner(at.items, item, index)))
    if (!isSchema(result)) return result
    const properties = asSchema(at.properties)
    const members = Object.entries(result).map(async ([key, member]) => {
      const own = Object.hasOwn(properties, key) ? properties[key] : at.additionalProperties
      return [key, await inner(own, member, key)] as const
    })
    return Object.fromEntries(await Promise.all(members))
  }
  return visit(root, value, '', new Set())
}

/** The parts, alternatives and references of a schema. */
const partsOf = (root: Schema, at: Schema): Schema[] => {
  const parts = [at.allOf, at.anyOf, at.oneOf].flatMap((list) => (Array.isArray(list) ? list : []))
  return [...parts, typeof at.$ref === 'string' ? follow(root, at.$ref) : undefined].filter(isSchema)
}

const follow = (root: Schema, reference: string): unknown => {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  return reference
    .slice(2)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, key) => (isSchema(at) && Object.hasOwn(at, key) ? at[key] : undefined), root)
}
