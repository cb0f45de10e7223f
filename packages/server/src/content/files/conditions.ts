// Answers to conditional and range requests. Pure. The validators come from the record, so they are equal on every
// replica and store.
import { rangeStillApplies } from '#platform/blobs/ranges.ts'

export type Validators = { etag: string; modifiedAt: Date }

/** RFC 9110 §13.1.2: `If-None-Match` compares weakly and takes precedence over `If-Modified-Since`. */
export const isNotModified = (
  headers: { 'if-none-match'?: string; 'if-modified-since'?: string },
  { etag, modifiedAt }: Validators,
): boolean => {
  const known = headers['if-none-match']
  if (known !== undefined) {
    const tags = known.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
    return tags.includes('*') || tags.includes(etag)
  }
  const sinceMs = Date.parse(headers['if-modified-since'] ?? '')
  // The header has a resolution of one second.
  return !Number.isNaN(sinceMs) && Math.floor(modifiedAt.getTime() / 1000) <= Math.floor(sinceMs / 1000)
}

/** The range to serve; undefined for the whole file. */
export const requestedRange = (
  headers: { range?: string; 'if-range'?: string | string[] },
  validators: Validators,
): string | undefined => {
  const condition = headers['if-range']
  if (Array.isArray(condition)) return undefined
  return rangeStillApplies(condition, validators) ? headers.range : undefined
}
