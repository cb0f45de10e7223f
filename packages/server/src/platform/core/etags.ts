// Conditional requests (RFC 9110 §13). Pure.
import { fail } from './errors.ts'

type Header = string | string[] | undefined

const tagsOf = (header: string | string[]): string[] =>
  (Array.isArray(header) ? header.join() : header).split(',').map((tag) => tag.trim())

export const etagOf = (value: string): string => `"${value}"`

/** Whether the reader has it already: `If-None-Match` compares weakly. */
export const isKnown = (ifNoneMatch: Header, etag: string): boolean =>
  ifNoneMatch !== undefined && tagsOf(ifNoneMatch).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag)

/**
 * `precondition_failed` when the writer started from something else than what is there now; `current` is empty where nothing
 * is. Without the header, anything goes.
 */
export const assertUnchanged = (ifMatch: Header, current: readonly string[]): void => {
  if (ifMatch === undefined) return
  const known = current.map(etagOf)
  if (!tagsOf(ifMatch).some((tag) => (tag === '*' ? known.length > 0 : known.includes(tag))))
    throw fail('precondition_failed', 'It was changed in the meantime; read it again and repeat the change')
}
