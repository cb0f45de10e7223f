// Addresses inside an input or output, with the place where each stands. Pure.

export type PlacedUri = { field: string; uri: string }

const isAddress = (text: string): boolean => /^https?:\/\//.test(text)

/** Every address in a value, by dotted path: `images.0.uri`. Whether it is a stored file's is for files to say. */
export const urisIn = (value: unknown, field = ''): PlacedUri[] => {
  if (typeof value === 'string') return isAddress(value) ? [{ field, uri: value }] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => urisIn(member, field === '' ? name : `${field}.${name}`))
}
