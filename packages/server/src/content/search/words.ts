// The words of a query. Pure.

const maxWords = 16

/** Distinct words in lower case, in order. */
export const wordsOf = (query: string): string[] => {
  const found =
    query
      .slice(0, 2_000)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  return [...new Set(found)].slice(0, maxWords)
}

/** Equal for texts that differ only in case and spacing. */
export const normalised = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[\s-]+/g, ' ')
    .trim()
