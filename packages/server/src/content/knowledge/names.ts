// What knowledge entries, their files and their scope tags may be called. Pure.
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

/** Why an entry cannot have this name; null when only another entry can still object. */
export const nameProblem = nameRule(reservedNames)

export const namespaceProblem = (namespace: string): string | null =>
  reservedNamespaces.has(namespace) ? `namespace must not be the reserved word ${namespace}` : null

/** Why a file cannot lie at this path; null when it can. A path is relative and stays below where it is unpacked. */
export const pathProblem = (path: string): string | null => {
  if (path.startsWith('/') || path.includes('\\'))
    return `path "${path.slice(0, 80)}" must be relative, with forward slashes`
  const parts = path.split('/')
  return parts.some((part) => part === '' || part === '.' || part === '..')
    ? `path "${path.slice(0, 80)}" must not hold empty parts, "." or ".."`
    : null
}

/** Why this is no scope tag; null when it is one. */
export const scopeTagProblem = (tag: string): string | null => {
  const colon = tag.indexOf(':')
  const prefix = tag.slice(0, Math.max(0, colon))
  if (!scopePrefixes.some((known) => known === prefix))
    return `scope: "${tag.slice(0, 80)}" must be prefix:value with one of ${scopePrefixes.join(', ')}`
  return tag.length === colon + 1 ? `scope: "${tag.slice(0, 80)}" has no value` : null
}
