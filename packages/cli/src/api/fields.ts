// Turns `--name value` arguments into the input of an operation, by the schema of its fields. Pure.
import type { OperationField, OperationHelp } from '@millrace/contract/operation-help'
import { refuseInexact, usage } from '../failures.ts'
import { suggest } from '../suggest.ts'

export type OperationInput = {
  path: Record<string, unknown>
  query: Record<string, unknown>
  body: Record<string, unknown>
}

type FieldArgument = { readonly field: OperationField; readonly value: string | true }

const flagOf = ({ name }: OperationField): string => `--${name.replaceAll('_', '-')}`

/** Accepts `--limit 5` and `--limit=5`, and `--force` alone for booleans. */
const readWords = (words: readonly string[], fields: readonly OperationField[]): FieldArgument[] => {
  const parsed: FieldArgument[] = []
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? ''
    const [, flag = '', inline] = /^--([^=]+)(?:=([\s\S]*))?$/.exec(word) ?? []
    const field = fields.find(({ name }) => name === flag.replaceAll('-', '_') || name === flag)
    if (!field)
      throw usage(
        `Unknown field ${word}`,
        suggest(`--${flag}`, fields.map(flagOf)) || 'Add --help for the fields of this operation',
      )
    const next = words[index + 1]
    const hasNoValue = field.kind === 'boolean' && (next === undefined || next.startsWith('--'))
    if (inline === undefined && !hasNoValue) index += 1
    const value = inline ?? (hasNoValue ? true : next)
    if (value === undefined) throw usage(`${flagOf(field)} needs a value`)
    parsed.push({ field, value })
  }
  return parsed
}

const parseJson = (field: FieldArgument['field'], text: string): unknown => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  refuseInexact(text, flagOf(field))
  return value
}

const readValue = ({ field, value }: FieldArgument): unknown => {
  if (value === true) return true
  if (field.kind === 'string' || field.kind.includes('|')) return value
  if (field.kind === 'boolean' && /^(true|false)$/.test(value)) return value === 'true'
  const parsed = parseJson(field, value)
  if ((field.kind === 'number' || field.kind === 'integer') && value.trim() !== '' && Number.isFinite(Number(value)))
    return Number(value)
  if (field.kind === 'array') return Array.isArray(parsed) ? parsed : [parsed ?? value]
  if (field.kind === 'json') return parsed === undefined ? value : parsed
  if (field.kind === 'object' && typeof parsed === 'object' && parsed !== null) return parsed
  throw usage(`${flagOf(field)} takes ${field.kind === 'object' ? 'a JSON object' : `a value of type ${field.kind}`}`)
}

export const inputOfWords = (help: OperationHelp, words: readonly string[]): OperationInput => {
  const input: OperationInput = { path: {}, query: {}, body: {} }
  for (const one of readWords(words, help.fields)) {
    const part = input[one.field.in]
    const value = readValue(one)
    const before = part[one.field.name]
    // A repeated flag adds to an array; for any other type the last value counts.
    part[one.field.name] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value
  }
  const missing = help.fields.filter((field) => field.in === 'path' && input.path[field.name] === undefined)
  if (missing.length > 0) throw usage(`${missing.map(flagOf).join(', ')} must be given`)
  return input
}

/** One line per field, required fields first. */
export const fieldLines = ({ fields }: OperationHelp): string[] => {
  const shown = fields
    .toSorted((a, b) => Number(b.required ?? false) - Number(a.required ?? false))
    .map((field) => ({ flag: `${flagOf(field)} <${field.kind}>`, field }))
  const width = Math.max(0, ...shown.map(({ flag }) => flag.length))
  return shown.map(({ flag, field }) =>
    `  ${flag.padEnd(width)}  ${field.required ? 'required. ' : ''}${field.description ?? ''}`.trimEnd(),
  )
}
