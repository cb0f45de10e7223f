// A copy takes the first name that is free, however many copies there are and whoever copies at the same time. Pure but for
// what it is handed.
import { slugMaxLength } from '@millrace/contract/refs'

/** The names a copy may take, in the order in which it tries them. */
export const copyName = (name: string, copy: number): string => {
  const suffix = copy === 1 ? '-copy' : `-copy-${copy}`
  return `${name.slice(0, slugMaxLength - suffix.length).replace(/-$/, '')}${suffix}`
}

const namesLookedAt = 100

type Taken = (names: readonly string[]) => Promise<ReadonlySet<string>>

const freeName = async (name: string, taken: Taken): Promise<string> => {
  for (let first = 1; ; first += namesLookedAt) {
    const names = Array.from({ length: namesLookedAt }, (_, index) => copyName(name, first + index))
    const held = await taken(names)
    const free = names.find((name) => !held.has(name))
    if (free !== undefined) return free
  }
}

/** `insert` gives null where somebody else took the name between the look and the insert: then the next one is tried. */
export const underFreeName = async <T>(
  name: string,
  taken: Taken,
  insert: (name: string) => Promise<T | null>,
): Promise<T> => {
  for (;;) {
    const inserted = await insert(await freeName(name, taken))
    if (inserted !== null) return inserted
  }
}
