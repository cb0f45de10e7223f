// The mark of a service whose logo is its own: its initials in a colour that is always the same. Pure.

/** The first letters of its first two words. */
export const initialsOf = (name: string): string =>
  name
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .slice(0, 2)
    .map((word) => word.slice(0, 1).toUpperCase())
    .join('')

const hues = 24

/** A hue in degrees; names that are alike get hues that are not. */
export const hueOf = (slug: string): number => {
  let sum = 0
  for (const letter of slug) sum = (Math.imul(sum, 31) + (letter.codePointAt(0) ?? 0)) >>> 0
  return (sum % hues) * (360 / hues)
}
