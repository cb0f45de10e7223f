// Text that PostgreSQL could not store is refused at the doors, once, instead of in every feature. Pure.
import { fail } from './errors.ts'

/** NUL and lone surrogates: valid in JSON, impossible in a PostgreSQL text or jsonb value. */
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

export const assertStorable = (value: unknown): void => {
  if (typeof value === 'string') {
    if (!isStorable(value)) throw fail('invalid_request', 'Text must not hold NUL or broken surrogate characters')
  } else if (Array.isArray(value)) {
    for (const item of value) assertStorable(item)
  } else if (value !== null && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) {
      // Harmless in a parsed value, but a trap for code that copies it.
      if (key === '__proto__') throw fail('invalid_request', 'The key __proto__ is not allowed')
      assertStorable(key)
      assertStorable(item)
    }
  }
}

/** Path and query values: flat, and mostly text. What stands in a path then names nothing that there is. */
export const assertStorableText = (
  values: Readonly<Record<string, unknown>>,
  code: 'invalid_request' | 'not_found' = 'invalid_request',
): void => {
  for (const value of Object.values(values))
    if (typeof value === 'string' && !isStorable(value))
      throw fail(code, 'Text must not hold NUL or broken surrogate characters')
}

/** What a program said, as it can be stored: it may have printed both. */
export const toStorable = <T>(value: T): T => {
  const clean = (part: unknown): unknown => {
    if (typeof part === 'string') return part.replaceAll('\0', '\uFFFD').toWellFormed()
    if (Array.isArray(part)) return part.map(clean)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [clean(name), clean(inner)]))
  }
  return clean(value) as T
}
