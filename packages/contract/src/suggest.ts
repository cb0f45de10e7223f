// Known names that are close to a typed one. Pure.

/** Edit distance: characters to insert, delete, replace or swap with their neighbor. */
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

/** The closest names, at most three; none if too many characters differ. */
export const nearest = (typed: string, known: readonly string[]): string[] => {
  const limit = Math.max(1, Math.floor(typed.length * 0.3))
  const ranked = known.map((name) => ({ name, far: distance(typed, name) })).filter(({ far }) => far <= limit)
  const least = Math.min(...ranked.map(({ far }) => far))
  return ranked
    .filter(({ far }) => far === least)
    .map(({ name }) => name)
    .slice(0, 3)
}

/** The text of a hint; empty without a close name. */
export const didYouMean = (typed: string, known: readonly string[]): string => {
  const names = nearest(typed, known)
  return names.length === 0 ? '' : `Did you mean ${names.join(' or ')}?`
}
