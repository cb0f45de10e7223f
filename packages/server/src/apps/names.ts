// Names of apps. An id route and a ref route share a shape, so the words that follow an id cannot be names. Pure.
import { isSlug, slugMaxLength } from '@millrace/contract/refs'

const reservedNames: ReadonlySet<string> = new Set([
  'versions',
  'license',
  'status',
  'visibility',
  'transfer',
  'duplicate',
  'cost',
])
const reservedNamespaces: ReadonlySet<string> = new Set(['run', 'list'])

/** Why an app cannot have this name; null when only another app can still object. */
export const nameProblem = (name: string): string | null => {
  if (!isSlug(name)) return `name must be lower-case letters, digits and single hyphens, at most ${slugMaxLength}`
  return reservedNames.has(name) ? `name must not be the reserved word ${name}` : null
}

export const namespaceProblem = (namespace: string): string | null =>
  reservedNamespaces.has(namespace) ? `namespace must not be the reserved word ${namespace}` : null
