// What artifacts are called: their ids, and names made of titles. Pure.
import { isId, isShortId, newId, shortId } from '@millrace/contract/ids'
import { slugMaxLength } from '@millrace/contract/refs'
import { nameRule } from '#platform/core/names.ts'

const prefix = 'art_'

export const newArtifactId = (): string => `${prefix}${newId()}`

export const artifactShortId = (id: string): string => `${prefix}${shortId(id.slice(prefix.length))}`

/** The artifact that a path names: a whole id, the beginning of one, or nothing. */
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
