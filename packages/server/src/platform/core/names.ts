// Names of things within a namespace. An id route and a ref route share a shape, so the words that follow an id cannot be
// names. Pure.
import { isSlug, slugMaxLength } from '@millrace/contract/refs'

/** Says why something cannot have a name; null when only another of its kind can still object. */
export const nameRule =
  (reserved: ReadonlySet<string>) =>
  (name: string): string | null => {
    if (!isSlug(name)) return `name must be lower-case letters, digits and single hyphens, at most ${slugMaxLength}`
    return reserved.has(name) ? `name must not be the reserved word ${name}` : null
  }
