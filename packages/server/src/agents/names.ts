// Names of agents. An id route and a ref route share a shape, so the words that follow an id cannot be names. Pure.
import { isSlug, slugMaxLength } from '@millrace/contract/refs'

const reserved: ReadonlySet<string> = new Set([
  'versions',
  'card',
  'visibility',
  'transfer',
  'duplicate',
  'rules',
  'runs',
])

/** Why an agent cannot have this name; null when only another agent can still object. */
export const nameProblem = (name: string): string | null => {
  if (!isSlug(name)) return `name must be lower-case letters, digits and single hyphens, at most ${slugMaxLength}`
  return reserved.has(name) ? `name must not be the reserved word ${name}` : null
}
