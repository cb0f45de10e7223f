// Rejects text that PostgreSQL cannot store at every entry point, so that features need no check. Pure.
import { fail } from './errors.ts'

/** NUL and lone surrogates are valid in JSON, but not in PostgreSQL text or jsonb. */
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

const assertStorableString = (text: string): void => {
  if (!isStorable(text)) throw fail('invalid_request', 'Text must not contain NUL or broken surrogate characters')
}

/** Iterative, because values may be nested deeper than the call stack allows. */
export const assertStorable = (value: unknown): void => {
  const pending: unknown[] = [value]
  while (pending.length > 0) {
    const part = pending.pop()
    if (typeof part === 'string') assertStorableString(part)
    else if (Array.isArray(part)) for (const item of part) pending.push(item)
    else if (part !== null && typeof part === 'object')
      for (const [key, item] of Object.entries(part)) {
        // Harmless in a parsed value, but dangerous for code that copies the value.
        if (key === '__proto__') throw fail('invalid_request', 'The key __proto__ is not allowed')
        assertStorableString(key)
        pending.push(item)
      }
  }
}

/** For path and query values, which are flat. A path with such text is `not_found`. */
export const assertStorableText = (
  values: Readonly<Record<string, unknown>>,
  code: 'invalid_request' | 'not_found' = 'invalid_request',
): void => {
  for (const value of Object.values(values))
    if (typeof value === 'string' && !isStorable(value))
      throw fail(code, 'Text must not contain NUL or broken surrogate characters')
}

const storableString = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()

const setOwn = (target: object, name: string, value: unknown): void => {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true })
}

/** Copies a value and replaces characters that PostgreSQL cannot store. Iterative, as `assertStorable`. */
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
