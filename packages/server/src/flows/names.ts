// Names of flows. An id route and a ref route share a shape, so the words that follow an id cannot be names. Pure.
import { isSlug, slugMaxLength } from '@millrace/contract/refs'

const reservedNames: ReadonlySet<string> = new Set([
  'versions',
  'actions',
  'stream',
  'app',
  'publish',
  'visibility',
  'transfer',
  'duplicate',
])

/** Why a flow cannot have this name; null when only another flow can still object. */
export const nameProblem = (name: string): string | null => {
  if (!isSlug(name)) return `name must be lower-case letters, digits and single hyphens, at most ${slugMaxLength}`
  return reservedNames.has(name) ? `name must not be the reserved word ${name}` : null
}
