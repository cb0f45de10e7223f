// The words of a query. Pure.

const maxWords = 16

/** Distinct words in small letters, in the order in which they stand. */
export const wordsOf = (query: string): string[] => {
  const found =
    query
      .slice(0, 2_000)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  return [...new Set(found)].slice(0, maxWords)
}

/** The same text whatever its case and spacing. */
export const normalised = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[\s-]+/g, ' ')
    .trim()
