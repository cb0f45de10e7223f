// Values as PostgreSQL can hold them: its text and jsonb know neither NUL nor half of a surrogate pair, and a program may
// print both. Pure.

const unstorable = /\\u0000|\\ud[89ab]/i

export const storableText = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()

const clean = (value: unknown): unknown => {
  if (typeof value === 'string') return storableText(value)
  if (Array.isArray(value)) return value.map(clean)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [storableText(name), clean(member)]))
}

/** JSON text of a value; the slow way round is taken only when the text shows that it may be needed. */
export const storableJson = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'null'
  return unstorable.test(text) ? JSON.stringify(clean(value)) : text
}
