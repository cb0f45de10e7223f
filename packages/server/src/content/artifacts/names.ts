// Artifact ids, and names derived from titles. Pure.
import { isId, isShortId, newId, shortId } from '@millrace/contract/ids'
import { slugOf } from '@millrace/contract/refs'
import { nameRule } from '#platform/core/names.ts'

const prefix = 'art_'

export const newArtifactId = (): string => `${prefix}${newId()}`

export const artifactShortId = (id: string): string => `${prefix}${shortId(id.slice(prefix.length))}`

/** Parses an artifact path parameter: a full id, a short id, or neither. */
export const readArtifactId = (text: string): { id: string } | { shortId: string } | null => {
  const rest = text.startsWith(prefix) ? text.slice(prefix.length) : ''
  if (isId(rest)) return { id: text }
  return isShortId(rest) ? { shortId: text } : null
}

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

export const nameProblem = nameRule(reservedNames)

/** Derives a name from a title; empty if the title has no usable characters. */
export const nameOfTitle = (title: string): string => {
  const slug = slugOf(title)
  return reservedNames.has(slug) ? `${slug}-page` : slug
}
