// Names within a namespace. Routes by id and routes by name have the same shape, so path segments that can follow an id
// are reserved words. Pure.
import { isSlug, slugMaxLength } from '@millrace/contract/refs'

/** Returns why a name is invalid, or null. Uniqueness is checked elsewhere. */
export const nameRule =
  (reserved: ReadonlySet<string>) =>
  (name: string): string | null => {
    if (!isSlug(name)) return `name must be lower-case letters, digits and single hyphens, at most ${slugMaxLength}`
    return reserved.has(name) ? `name must not be the reserved word ${name}` : null
  }
