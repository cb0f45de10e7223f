// Finds the known names closest to a mistyped one. Pure.

/** The edit distance, with a swap of neighboring letters as one edit. */
const distance = (a: string, b: string): number => {
  let twoBack: number[] = []
  let before = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1]
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      current.push(
        Math.min(
          (before[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (before[column - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (twoBack[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    twoBack = before
    before = current
  }
  return before[b.length] ?? 0
}

/** Empty without names. */
export const didYouMean = (names: readonly string[]): string =>
  names.length === 0 ? '' : `Did you mean ${names.join(' or ')}?`

/** Empty when no known name is close. */
export const suggest = (typed: string, known: readonly string[]): string => didYouMean(closest(typed, known))

export type RefParts = { readonly namespace?: string; readonly name?: string }

/** Refs as they can be typed: a bare name only in the caller's own namespace. */
export const closestRefs = (typed: string, known: readonly RefParts[], own: string): string[] => {
  const full = [...new Set(known.map(({ namespace, name }) => `${namespace}/${name}`))].filter((ref) => ref !== typed)
  const refs = typed.includes('/') ? closest(typed, full) : []
  if (refs.length > 0) return refs
  const nameOf = (ref: string): string => ref.split('/')[1] ?? ''
  const names = closest(typed.slice(typed.lastIndexOf('/') + 1), [...new Set(full.map(nameOf))])
  return full
    .filter((ref) => names.includes(nameOf(ref)))
    .map((ref) => (!typed.includes('/') && ref === `${own}/${nameOf(ref)}` ? nameOf(ref) : ref))
    .filter((ref) => ref !== typed)
    .slice(0, 3)
}

/** At most three names, none of which differs in more than 30 % of the letters. */
export const closest = (typed: string, known: readonly string[]): string[] => {
  const limit = Math.max(1, Math.floor(typed.length * 0.3))
  const ranked = known.map((name) => ({ name, edits: distance(typed, name) })).filter(({ edits }) => edits <= limit)
  const fewest = Math.min(...ranked.map(({ edits }) => edits))
  return ranked
    .filter(({ edits }) => edits === fewest)
    .map(({ name }) => name)
    .slice(0, 3)
}
