// A value as comparable text with sorted keys, so that only real differences show. Pure.

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}

export const sortedJson = (value: unknown): string => JSON.stringify(sorted(value), null, 2)
