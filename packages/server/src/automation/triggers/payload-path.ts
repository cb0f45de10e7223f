// Dotted paths into a JSON value, shared by filters and input mappings: `issue.labels.0.name`, also `labels[0].name`.

export type JsonObject = Readonly<Record<string, unknown>>

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value at a path; undefined if there is none. The empty path selects the whole value. */
export const readPath = (value: unknown, path: string): unknown => {
  let at = value
  for (const step of path.replace(/\[(\d+)\]/g, '.$1').split('.')) {
    if (step === '') continue
    if (typeof at !== 'object' || at === null) return undefined
    // Own properties only: a path must not reach inherited properties.
    if (!Object.hasOwn(at, step) || (Array.isArray(at) && !/^\d+$/.test(step))) return undefined
    at = (at as Record<string, unknown>)[step]
  }
  return at
}

/** A JSON value as text: strings unchanged, null and undefined as the empty text, others as JSON. */
export const asText = (value: unknown): string => {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
