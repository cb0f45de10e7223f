// The icon of a service, or its initials in a stable color. Pure.

/** Null for icons on other hosts, which the page's policy does not allow. */
export const localIcon = (address: string | undefined, origin: string): string | null => {
  if (address === undefined || address === '' || !URL.canParse(address, origin)) return null
  const { protocol, origin: from, href } = new URL(address, origin)
  return from === origin || (protocol === 'data:' && href.startsWith('data:image/')) ? href : null
}

/** The first letters of the first two words. */
export const initialsOf = (name: string): string =>
  name
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .slice(0, 2)
    .map((word) => word.slice(0, 1).toUpperCase())
    .join('')

const hues = 24

/** A hue in degrees; similar names get different hues. */
export const hueOf = (slug: string): number => {
  let sum = 0
  for (const letter of slug) sum = (Math.imul(sum, 31) + (letter.codePointAt(0) ?? 0)) >>> 0
  return (sum % hues) * (360 / hues)
}
