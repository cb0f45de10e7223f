// Validates a manifest by its schema and reports problems by field. Pure.
import { InfYml } from '@millrace/contract/inf-yml'
import { Compile } from 'typebox/compile'
import { didYouMean, suggest } from '../suggest.ts'

type Schema = {
  type?: string
  description?: string
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  items?: Schema
}

const check = Compile(InfYml)

export const isManifest = (value: unknown): value is InfYml => check.Check(value)

const kinds: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'fields with values',
  array: 'a list',
}

/** One line for each field, even if it fails several rules. The length of a text is the most specific rule. */
export const faultsOf = (manifest: unknown): string[] => {
  const lines = new Map<string, string>()
  const tooLong = new Map<string, string>()
  for (const error of check.Errors(manifest)) {
    const steps = error.instancePath.split('/').slice(1)
    if (error.keyword === 'required') {
      for (const name of error.params.requiredProperties) lines.set([...steps, name].join('.'), 'is missing')
      continue
    }
    const field = steps.join('.') || 'inf.yml'
    const { description, type = '' } = schemaAt(steps)
    const value = valueAt(manifest, steps)
    if (error.keyword === 'maxLength')
      tooLong.set(field, `expected at most ${error.params.limit} characters, found ${[...String(value)].length}`)
    lines.set(field, `expected ${description ?? kinds[type] ?? 'another value'}, found ${shown(value)}`)
  }
  return [...new Map([...lines, ...tooLong])].map(([field, fault]) => `${field}: ${fault}`)
}

const shown = (value: unknown): string => {
  const text = typeof value === 'string' && value !== '' ? value : (JSON.stringify(value) ?? 'nothing')
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

const valueAt = (value: unknown, steps: readonly string[]): unknown =>
  steps.reduce<unknown>(
    (at, step) => (isMap(at) || Array.isArray(at) ? (at as Record<string, unknown>)[step] : undefined),
    value,
  )

const schemaAt = (steps: readonly string[]): Schema =>
  steps.reduce<Schema>((at, step) => innerOf(at, step) ?? {}, InfYml as Schema)

const innerOf = (schema: Schema, step: string): Schema | undefined =>
  schema.properties?.[step] ?? schema.items ?? Object.values(schema.patternProperties ?? {})[0]

/** Fields that are not in the schema, such as a mistyped one. */
export const unreadFields = (manifest: InfYml): string[] => {
  const unread = new Map<string, string>()
  const visit = (schema: Schema | undefined, value: unknown, place: string[]): void => {
    if (!schema || typeof value !== 'object' || value === null) return
    for (const [name, member] of Object.entries(value)) {
      const inner = innerOf(schema, name)
      if (inner) visit(inner, member, [...place, name])
      else if (schema.properties) unread.set([...place, name].join('.'), suggestion(name, schema.properties, place))
    }
  }
  visit(InfYml as Schema, manifest, [])
  const strange = [...unread].filter(([, hint]) => hint === '').map(([field]) => field)
  return [
    ...[...unread].filter(([, hint]) => hint !== '').map(([field, hint]) => `Unknown field ${field}. ${hint}`),
    ...(strange.length === 0 ? [] : [`Unknown fields of inf.yml: ${strange.join(', ')}`]),
  ]
}

/** A field of the same name one level deeper, or one with a similar name. */
const suggestion = (name: string, known: Record<string, Schema>, place: readonly string[]): string => {
  const holder = Object.keys(known).find((field) => known[field]?.properties?.[name] !== undefined)
  return holder ? didYouMean([[...place, holder, name].join('.')]) : suggest(name, Object.keys(known))
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `env:` without a value is the same as no `env`. The contents of `metadata` belong to the author. */
export const withoutEmpty = (value: unknown, place = ''): unknown => {
  if (Array.isArray(value)) return value.map((item) => withoutEmpty(item))
  if (!isMap(value) || place === 'metadata') return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (member === null ? [] : [[name, withoutEmpty(member, name)]])),
  )
}
