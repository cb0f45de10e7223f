// What may name a blob, and what a user may call a file. Keys are ours and narrow: plain ASCII segments, so that no key can
// leave the store, collide on a case-folding disk or mean two things to two systems. User-given names are only ever data.
import { fail } from '../core/errors.ts'

/** Twice this (upper case is escaped on disk) still fits the 255 bytes a file name may have. */
export const maxKeyLength = 120
export const maxFilenameLength = 200
export const maxCustomPathLength = 512

// A segment starts with a letter, a digit or `_`, so that `.`, `../..` and hidden files cannot be spelled.
const keyPattern = /^[A-Za-z0-9_][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_][A-Za-z0-9._-]*)*$/
const prefixPattern = /^(?:[A-Za-z0-9_][A-Za-z0-9._/-]*)?$/

export const isBlobKey = (key: string): boolean => key.length <= maxKeyLength && keyPattern.test(key)

export const assertBlobKey = (key: string): void => {
  if (!isBlobKey(key)) throw fail('validation_error', 'The storage key is not allowed.')
}

export const assertBlobPrefix = (prefix: string): void => {
  if (prefix.length > maxKeyLength || !prefixPattern.test(prefix)) {
    throw fail('validation_error', 'The storage prefix is not allowed.')
  }
}

// Control characters, line and paragraph separators, and format characters (zero width, bidirectional overrides): they
// make a name look like another one or break a header.
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** The last path segment of whatever a client sent, without unseen characters; empty when nothing is left. */
export const cleanFilename = (filename: string): string => {
  const last = filename.toWellFormed().normalize('NFC').replace(unseen, '').split(/[/\\]/).at(-1) ?? ''
  const name = last.trim()
  if (name === '.' || name === '../..') return ''
  return shortened(name)
}

// The extension outlives the cut: it is what a desktop opens the file by.
const shortened = (name: string): string => {
  const characters = [...name]
  if (characters.length <= maxFilenameLength) return name
  const extension = [...(/\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '')]
  return [...characters.slice(0, maxFilenameLength - extension.length), ...extension].join('')
}

/**
 * A custom storage path as its owner will see it: relative, `/` between non-empty segments, NFC. It is refused rather than
 * repaired when it is hostile, because a silently different path would be worse than an error.
 */
export const cleanCustomPath = (path: string): string => {
  const refuse = (why: string) => fail('validation_error', { detail: `path: ${why}`, meta: { field: 'path' } })
  if (!path.isWellFormed()) throw refuse('must be valid Unicode')
  // Compatibility forms first: a full-width solidus or dot must not become a real one somewhere downstream.
  const folded = path.normalize('NFKC')
  if (path.search(unseen) !== -1) throw refuse('must not contain control or invisible characters')
  if (folded.includes('\\')) throw refuse('must use / between segments')
  if (folded.startsWith('/') || /^[A-Za-z]:/.test(folded)) throw refuse('must be relative')
  if ([...path].length > maxCustomPathLength) throw refuse(`must not be longer than ${maxCustomPathLength} characters`)
  const segments = folded.split('/')
  if (segments.some((segment) => segment.trim() === '')) throw refuse('must not contain empty segments')
  if (segments.some((segment) => /^[.\s]+$/.test(segment))) throw refuse('must not contain . or .. segments')
  if (segments.some((segment) => [...segment].length > maxFilenameLength)) {
    throw refuse(`segments must not be longer than ${maxFilenameLength} characters`)
  }
  return path.normalize('NFC')
}
