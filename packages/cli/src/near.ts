// Which of the known names somebody may have meant. Pure.

/** Letters to change, add, drop or swap with their neighbour until one word is the other. */
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

/** As the end of a sentence: empty where nothing is close. */
export const saidAs = (near: readonly string[]): string =>
  near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`

export const meant = (typed: string, known: readonly string[]): string => saidAs(nearest(typed, known))

export type RefParts = { readonly namespace?: string; readonly name?: string }

/** Refs that can be typed as they are told: a bare name only where it is one of the own namespace. */
export const nearestRefs = (typed: string, known: readonly RefParts[], own: string): string[] => {
  const full = [...new Set(known.map(({ namespace, name }) => `${namespace}/${name}`))].filter((ref) => ref !== typed)
  const near = typed.includes('/') ? nearest(typed, full) : []
  if (near.length > 0) return near
  const nameOf = (ref: string): string => ref.split('/')[1] ?? ''
  const close = nearest(typed.slice(typed.lastIndexOf('/') + 1), [...new Set(full.map(nameOf))])
  return full
    .filter((ref) => close.includes(nameOf(ref)))
    .map((ref) => (!typed.includes('/') && ref === `${own}/${nameOf(ref)}` ? nameOf(ref) : ref))
    .filter((ref) => ref !== typed)
    .slice(0, 3)
}

/** The closest names, at most three, none that shares too little with what was typed. */
export const nearest = (typed: string, known: readonly string[]): string[] => {
  const limit = Math.max(1, Math.floor(typed.length * 0.3))
  const ranked = known.map((name) => ({ name, far: distance(typed, name) })).filter(({ far }) => far <= limit)
  const least = Math.min(...ranked.map(({ far }) => far))
  return ranked
    .filter(({ far }) => far === least)
    .map(({ name }) => name)
    .slice(0, 3)
}
