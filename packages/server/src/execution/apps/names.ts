// Names of apps. Pure.
import { nameRule } from '#platform/core/names.ts'

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

/** The reason why a name is invalid, or null. Does not check for other apps with the same name. */
export const nameProblem = nameRule(reservedNames)

export const namespaceProblem = (namespace: string): string | null =>
  reservedNamespaces.has(namespace) ? `namespace must not be the reserved word ${namespace}` : null
