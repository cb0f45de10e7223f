// Validates blob keys and user-given file names. Keys are plain ASCII segments, so that no key can leave the store,
// collide on a file system that folds case, or be ambiguous. User-given names are only data.
import { fail } from '../core/errors.ts'

/** On disk, upper case is escaped: twice this length still fits the 255 bytes of a file name. */
export const maxKeyLength = 120
export const maxFilenameLength = 200
export const maxCustomPathLength = 512

// A segment starts with a letter, a digit or `_`, which excludes `.`, `..` and hidden files.
const keyPattern = /^[A-Za-z0-9_][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_][A-Za-z0-9._-]*)*$/
const prefixPattern = /^(?:[A-Za-z0-9_][A-Za-z0-9._/-]*)?$/

export const isBlobKey = (key: string): boolean => key.length <= maxKeyLength && keyPattern.test(key)

export const assertBlobKey = (key: string): void => {
  if (!isBlobKey(key)) throw fail('validation_error', 'The storage key is not allowed')
}

export const assertBlobPrefix = (prefix: string): void => {
  if (prefix.length > maxKeyLength || !prefixPattern.test(prefix)) {
    throw fail('validation_error', 'The storage prefix is not allowed')
  }
}

// Control characters, line and paragraph separators, and format characters (zero width, bidirectional overrides): they
// make a name look like another one or break a header.
const invisibleCharacters = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** The last path segment without invisible characters; empty if nothing remains. */
export const cleanFilename = (filename: string): string => {
  const last = filename.toWellFormed().normalize('NFC').replace(invisibleCharacters, '').split(/[/\\]/).at(-1) ?? ''
  const name = last.trim()
  if (name === '.' || name === '..') return ''
  return shortened(name)
}

// The extension is kept, because it selects the program that opens the file.
const shortened = (name: string): string => {
  const characters = [...name]
  if (characters.length <= maxFilenameLength) return name
  const extension = [...(/\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '')]
  return [...characters.slice(0, maxFilenameLength - extension.length), ...extension].join('')
}

/**
 * A custom storage path: relative, with `/` between non-empty segments, in NFC. Invalid paths are rejected and not
 * repaired, because a silently changed path would be worse than an error.
 */
export const cleanCustomPath = (path: string): string => {
  const refuse = (why: string) => fail('validation_error', { detail: `path: ${why}`, meta: { field: 'path' } })
  if (!path.isWellFormed()) throw refuse('must be valid Unicode')
  // Checked in compatibility form, because another system may convert a full-width slash or dot to a real one.
  const folded = path.normalize('NFKC')
  if (path.search(invisibleCharacters) !== -1) throw refuse('must not contain control or invisible characters')
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
