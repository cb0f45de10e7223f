// Gives a copy the first free name, even if several copies are made at the same time.
import { slugMaxLength } from '@millrace/contract/refs'

/** The name of the nth copy. */
export const copyName = (name: string, copy: number): string => {
  const suffix = copy === 1 ? '-copy' : `-copy-${copy}`
  return `${name.slice(0, slugMaxLength - suffix.length).replace(/-$/, '')}${suffix}`
}

const namesPerQuery = 100

type Taken = (names: readonly string[]) => Promise<ReadonlySet<string>>

const freeName = async (name: string, taken: Taken): Promise<string> => {
  for (let first = 1; ; first += namesPerQuery) {
    const names = Array.from({ length: namesPerQuery }, (_, index) => copyName(name, first + index))
    const takenAmong = await taken(names)
    const free = names.find((name) => !takenAmong.has(name))
    if (free !== undefined) return free
  }
}

/** `insert` returns null if another request took the name first; the next free name is then tried. */
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
