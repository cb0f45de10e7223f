// Keywords for any value, for numbers and for strings.
import { isRecord } from '@millrace/contract/json'
import { fitsFormat } from './formats.ts'
import { type Check, type CheckPosition, CheckTooMuch, type ValueFault } from './steps.ts'

type Keywords = { readonly [keyword: string]: unknown }

/** Pattern size times text length. Above this, a single match would block the event loop. */
const maxPatternSteps = 2_000_000
/** Steps of pattern matching that cost one step of checking. */
const patternStepsPerCharge = 16

export const checkScalar = (check: Check, schema: Keywords, value: unknown, at: CheckPosition): ValueFault | null => {
  const fault = (keyword: string, message: string, detail?: unknown): ValueFault => ({
    keyword,
    place: at.place,
    message,
    detail,
  })
  const { type, nullable } = schema
  if (type !== undefined && !(nullable === true && value === null)) {
    const wanted = (Array.isArray(type) ? type : [type]) as string[]
    if (!wanted.some((one) => isOfType(value, one))) return fault('type', `must be ${wanted.join(',')}`, type)
  }
  if (Object.hasOwn(schema, 'const') && !isSame(check, schema.const, value))
    return fault('const', 'must be equal to constant')
  if (schema.enum !== undefined && !(schema.enum as unknown[]).some((one) => isSame(check, one, value)))
    return fault('enum', 'must be equal to one of the allowed values', schema.enum)
  if (typeof value === 'number') return checkNumber(schema, value, fault)
  if (typeof value === 'string') return checkText(check, schema, value, fault)
  return null
}

const isOfType = (value: unknown, type: string): boolean => {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isRecord(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

/** Deep equality as JSON; the order of members does not matter. */
export const isSame = (check: Check, a: unknown, b: unknown): boolean => {
  check.charge(1)
  if (Object.is(a, b) || a === b) return true
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isSame(check, item, b[index]))
  if (!isRecord(a) || !isRecord(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSame(check, a[name], b[name]))
  )
}

type Report = (keyword: string, message: string, detail?: unknown) => ValueFault

const checkNumber = (schema: Keywords, value: number, fault: Report): ValueFault | null => {
  const { maximum, minimum, exclusiveMaximum, exclusiveMinimum, multipleOf, format } = schema as Record<
    string,
    number | undefined
  >
  if (maximum !== undefined && value > maximum) return fault('maximum', `must be <= ${maximum}`)
  if (minimum !== undefined && value < minimum) return fault('minimum', `must be >= ${minimum}`)
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
    return fault('exclusiveMaximum', `must be < ${exclusiveMaximum}`)
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
    return fault('exclusiveMinimum', `must be > ${exclusiveMinimum}`)
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf))
    return fault('multipleOf', `must be multiple of ${multipleOf}`)
  return fitsFormat(format, value) ? null : fault('format', `must match format "${format}"`)
}

const checkText = (check: Check, schema: Keywords, value: string, fault: Report): ValueFault | null => {
  const { maxLength, minLength } = schema as Record<string, number | undefined>
  if (maxLength !== undefined && value.length > maxLength && lengthOf(check, value) > maxLength)
    return fault('maxLength', `must NOT have more than ${maxLength} characters`)
  if (minLength !== undefined && (value.length < minLength || lengthOf(check, value) < minLength))
    return fault('minLength', `must NOT have fewer than ${minLength} characters`)
  const { pattern, format } = schema as Record<string, string | undefined>
  if (pattern !== undefined && !matches(check, pattern, value))
    return fault('pattern', `must match pattern "${pattern}"`)
  if (format === undefined) return null
  check.charge(value.length / patternStepsPerCharge)
  return fitsFormat(format, value) ? null : fault('format', `must match format "${format}"`)
}

/** Length in Unicode characters: a surrogate pair counts once. */
const lengthOf = (check: Check, text: string): number => {
  check.charge(text.length / patternStepsPerCharge)
  let pairs = 0
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit < 0xd800 || unit > 0xdbff) continue
    const next = text.charCodeAt(index + 1)
    if (next < 0xdc00 || next > 0xdfff) continue
    pairs += 1
    index += 1
  }
  return text.length - pairs
}

export const matches = (check: Check, pattern: string, text: string): boolean => {
  const known = check.copy.patterns.get(pattern)
  if (!known) return true
  const steps = known.size * text.length
  if (steps > maxPatternSteps) throw new CheckTooMuch('a text is too long for its pattern')
  check.charge(1 + steps / patternStepsPerCharge)
  return known.test(text)
}
