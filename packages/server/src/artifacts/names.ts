// What artifacts are called: their ids, and names made of titles. Pure.
import { isId, isShortId, newId, shortId } from '@millrace/contract/ids'
import { isSlug, slugMaxLength } from '@millrace/contract/refs'

const prefix = 'art_'

export const newArtifactId = (): string => `${prefix}${newId()}`

export const artifactShortId = (id: string): string => `${prefix}${shortId(id.slice(prefix.length))}`

/** The artifact that a path names: a whole id, the beginning of one, or nothing. */
export const readArtifactId = (text: string): { id: string } | { shortId: string } | null => {
  const rest = text.startsWith(prefix) ? text.slice(prefix.length) : ''
  if (isId(rest)) return { id: text }
  return isShortId(rest) ? { shortId: text } : null
}

// An id route and a ref route share a shape, so the words that follow an id cannot be names.
const reservedNames: ReadonlySet<string> = new Set([
  'versions',
  'content',
  'render',
  'frame',
  'data',
  'assets',
  'comments',
  'visibility',
  'transfer',
])

export const nameProblem = (name: string): string | null => {
  if (!isSlug(name)) return `name must be lower-case letters, digits and single hyphens, at most ${slugMaxLength}`
  return reservedNames.has(name) ? `name must not be the reserved word ${name}` : null
}

/** A name that says what the title says; empty when nothing of it can stand in one. */
export const slugOf = (title: string): string => {
  const slug = title
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, slugMaxLength)
    .replace(/^-+|-+$/g, '')
  return reservedNames.has(slug) ? `${slug}-page` : slug
}
