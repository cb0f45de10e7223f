// Rules for the names of knowledge entries, their files and their scope tags. Pure.
import { scopePrefixes } from '@millrace/contract/knowledge'
import { nameRule } from '#platform/core/names.ts'

const reservedNames: ReadonlySet<string> = new Set([
  'versions',
  'references',
  'lineage',
  'visibility',
  'transfer',
  'content',
  'download',
])
const reservedNamespaces: ReadonlySet<string> = new Set(['list', 'resolve'])

/** The reason why a name is invalid; null if it is valid, but may be taken. */
export const nameProblem = nameRule(reservedNames)

export const namespaceProblem = (namespace: string): string | null =>
  reservedNamespaces.has(namespace) ? `namespace must not be the reserved word ${namespace}` : null

/**
 * The reason why a file path is invalid; null if it is valid. A path is relative and cannot leave the folder into which
 * it is unpacked.
 */
export const pathProblem = (path: string): string | null => {
  if (path.startsWith('/') || path.includes('\\'))
    return `path "${path.slice(0, 80)}" must be relative, with forward slashes`
  const parts = path.split('/')
  return parts.some((part) => part === '' || part === '.' || part === '..')
    ? `path "${path.slice(0, 80)}" must not contain empty parts, "." or ".."`
    : null
}

/** The reason why a scope tag is invalid; null if it is valid. */
export const scopeTagProblem = (tag: string): string | null => {
  const colon = tag.indexOf(':')
  const prefix = tag.slice(0, Math.max(0, colon))
  if (!scopePrefixes.some((known) => known === prefix))
    return `scope: "${tag.slice(0, 80)}" must be prefix:value with one of ${scopePrefixes.join(', ')}`
  return tag.length === colon + 1 ? `scope: "${tag.slice(0, 80)}" has no value` : null
}
