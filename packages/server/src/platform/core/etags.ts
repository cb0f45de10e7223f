// Conditional requests (RFC 9110 §13). Pure.
import { fail } from './errors.ts'

type Header = string | string[] | undefined

const tagsOf = (header: string | string[]): string[] =>
  (Array.isArray(header) ? header.join() : header).split(',').map((tag) => tag.trim())

export const etagOf = (value: string): string => `"${value}"`

/** True if the client already has this version: `If-None-Match` compares weakly. */
export const isKnown = (ifNoneMatch: Header, etag: string): boolean =>
  ifNoneMatch !== undefined && tagsOf(ifNoneMatch).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag)

/**
 * Throws `precondition_failed` if the client edited another version than the current one. `current` is empty if the
 * resource does not exist. Without the header, every write passes.
 */
export const assertUnchanged = (ifMatch: Header, current: readonly string[]): void => {
  if (ifMatch === undefined) return
  const known = current.map(etagOf)
  if (!tagsOf(ifMatch).some((tag) => (tag === '*' ? known.length > 0 : known.includes(tag))))
    throw fail('precondition_failed', 'The resource has changed; read it again and repeat the change')
}
