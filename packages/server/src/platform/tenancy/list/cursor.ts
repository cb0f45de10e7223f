// The cursor: base64url of a JSON array with a marker of the sort, the sort values of the last row and its id.
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'
import type { SortKey } from './spec.ts'

export type Cursor = { values: readonly (string | number | boolean | null)[]; id: string }

const marker = (sort: readonly SortKey[]): string => sort.map(({ field, dir }) => `${field}:${dir}`).join(',')

export const encodeCursor = (sort: readonly SortKey[], cursor: Cursor): string =>
  Buffer.from(JSON.stringify([marker(sort), ...cursor.values, cursor.id])).toString('base64url')

const isScalar = (value: unknown): value is string | number | boolean | null =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value)

/** Null if the text is invalid or belongs to another sort. */
export const decodeCursor = (sort: readonly SortKey[], text: string): Cursor | null => {
  try {
    const parsed: unknown = parseUntrustedJson(Buffer.from(text, 'base64url').toString('utf8'))
    if (!Array.isArray(parsed) || parsed.length !== sort.length + 2 || parsed[0] !== marker(sort)) return null
    const values = parsed.slice(1, -1)
    const id: unknown = parsed.at(-1)
    if (typeof id !== 'string' || id.includes('\0') || !values.every(isScalar)) return null
    return { values, id }
  } catch {
    return null
  }
}
