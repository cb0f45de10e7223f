// File addresses inside an input or output, with their paths. Pure.

export type PlacedUri = { field: string; uri: string }

const isAddress = (text: string): boolean => /^https?:\/\//.test(text)

/**
 * Every address in a value, by dotted path such as `images.0.uri`. The files feature decides which of them are stored
 * files.
 */
export const urisIn = (value: unknown, field = ''): PlacedUri[] => {
  if (typeof value === 'string') return isAddress(value) ? [{ field, uri: value }] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => urisIn(member, field === '' ? name : `${field}.${name}`))
}
