// The problems of a document that people write, such as `engine.yml`, field by field. The schema states what each field
// expects. Pure.

import { didYouMean } from './suggest.ts'

export type DocumentSchema = {
  type?: string
  description?: string
  properties?: Record<string, DocumentSchema>
  items?: DocumentSchema
  anyOf?: DocumentSchema[]
}

export type SchemaError = { keyword: string; instancePath: string; params: object }

const kinds: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'fields with values',
  array: 'a list',
}

/** One line per field, even if it fails several rules of the schema. */
export const problemsOf = (schema: DocumentSchema, document: unknown, errors: Iterable<SchemaError>): string[] => {
  const lines = new Map<string, string>()
  for (const { keyword, instancePath, params } of errors) {
    const steps = instancePath.split('/').slice(1)
    if (keyword === 'required' && 'requiredProperties' in params && Array.isArray(params.requiredProperties)) {
      for (const name of params.requiredProperties) lines.set([...steps, name].join('.'), 'is missing')
      continue
    }
    const { field, described } = expectationAt(schema, steps)
    const found = shown(valueAt(document, field))
    lines.set(field.join('.'), `expected ${described}, found ${found}`)
  }
  return [...lines].map(([field, problem]) => `${field}: ${problem}`)
}

/** The innermost field on the path that has a description: parts of a described field are reported as that field. */
const expectationAt = (
  schema: DocumentSchema,
  steps: readonly string[],
): { field: readonly string[]; described: string } => {
  for (let depth = 1; depth <= steps.length; depth += 1) {
    const { description } = schemaAt(schema, steps.slice(0, depth))
    if (description !== undefined) return { field: steps.slice(0, depth), described: description }
  }
  return { field: steps, described: kinds[schemaAt(schema, steps).type ?? ''] ?? 'another value' }
}

/** Fields that no schema has, each with the field that was probably meant. */
export const unknownFields = (schema: DocumentSchema, document: unknown): string[] => {
  const unknown: string[] = []
  const visit = (at: DocumentSchema, value: unknown, place: readonly string[]): void => {
    if (typeof value !== 'object' || value === null) return
    const known = Object.assign({}, ...objectsOf(at).map(({ properties }) => properties)) as Record<string, unknown>
    for (const [name, member] of Object.entries(value)) {
      const inner = innerOf(at, name)
      if (inner) visit(inner, member, [...place, name])
      else unknown.push(`unknown field ${[...place, name].join('.')}. ${didYouMean(name, Object.keys(known))}`.trim())
    }
  }
  visit(schema, document, [])
  return unknown
}

const objectsOf = (schema: DocumentSchema): DocumentSchema[] =>
  [schema, ...(schema.anyOf ?? [])].filter(({ properties, items }) => properties ?? items)

const innerOf = (schema: DocumentSchema, step: string): DocumentSchema | undefined =>
  objectsOf(schema)
    .map(({ properties, items }) => (properties && Object.hasOwn(properties, step) ? properties[step] : items))
    .find((inner) => inner !== undefined)

const schemaAt = (schema: DocumentSchema, steps: readonly string[]): DocumentSchema =>
  steps.reduce<DocumentSchema>((at, step) => innerOf(at, step) ?? {}, schema)

const valueAt = (value: unknown, steps: readonly string[]): unknown =>
  steps.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[step] : undefined),
    value,
  )

const shown = (value: unknown): string => {
  const text = typeof value === 'string' && value !== '' ? value : (JSON.stringify(value) ?? 'nothing')
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
