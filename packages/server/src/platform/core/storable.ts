// Text that PostgreSQL could not store is refused at the doors, once, instead of in every feature. Pure.
import { fail } from './errors.ts'

/** NUL and lone surrogates: valid in JSON, impossible in a PostgreSQL text or jsonb value. */
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

const assertStorableString = (text: string): void => {
  if (!isStorable(text)) throw fail('invalid_request', 'Text must not hold NUL or broken surrogate characters')
}

/** Iterative, because a nested value may be deeper than the call stack. */
export const assertStorable = (value: unknown): void => {
  const pending: unknown[] = [value]
  while (pending.length > 0) {
    const part = pending.pop()
    if (typeof part === 'string') assertStorableString(part)
    else if (Array.isArray(part)) for (const item of part) pending.push(item)
    else if (part !== null && typeof part === 'object')
      for (const [key, item] of Object.entries(part)) {
        // Harmless in a parsed value, but a trap for code that copies it.
        if (key === '__proto__') throw fail('invalid_request', 'The key __proto__ is not allowed')
        assertStorableString(key)
        pending.push(item)
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

const storableString = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()

const setOwn = (target: object, name: string, value: unknown): void => {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true })
}

/** A copy that PostgreSQL can store, of output that may hold any character. Iterative, as `assertStorable` is. */
export const toStorable = <T>(value: T): T => {
  const pending: [from: object, to: object][] = []
  const copyOf = (part: unknown): unknown => {
    if (typeof part === 'string') return storableString(part)
    if (typeof part !== 'object' || part === null) return part
    const copy = Array.isArray(part) ? [] : {}
    pending.push([part, copy])
    return copy
  }
  const copied = copyOf(value)
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [from, to] = next
    if (Array.isArray(to)) for (const item of from as unknown[]) to.push(copyOf(item))
    else for (const [name, inner] of Object.entries(from)) setOwn(to, storableString(name), copyOf(inner))
  }
  return copied as T
}
