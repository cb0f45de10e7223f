// Converts values that PostgreSQL cannot store: its text and jsonb types accept neither NUL nor an unpaired surrogate,
// and a program may print both. Pure.

const unstorable = /\\u0000|\\ud[89ab]/i

export const storableText = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()

const clean = (value: unknown): unknown => {
  if (typeof value === 'string') return storableText(value)
  if (Array.isArray(value)) return value.map(clean)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [storableText(name), clean(member)]))
}

/** JSON text of a value. The slow conversion runs only if the text contains a suspicious escape. */
export const storableJson = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'null'
  return unstorable.test(text) ? JSON.stringify(clean(value)) : text
}
