// Matches the words of a query in a result, and finds the passage of a text that contains most of them. Pure.

/** Endings of other forms of a word, as in the index of the server. */
const endings = /(?:ations?|ments?|ings?|ers?|ed|ly|es|e|s)$/

const leastStem = 4

const stemOf = (word: string): string => {
  const stem = word.replace(endings, '')
  return stem.length < leastStem ? word : stem
}

/** The words of a query, without single letters. */
export const wordsOf = (query: string): string[] => [
  ...new Set(
    query
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word.length > 1),
  ),
]

/** The index of the query word that this word starts with or is a form of; -1 for none. */
const wordIndexOf = (piece: string, words: readonly string[]): number => {
  const word = piece.toLowerCase()
  return words.findIndex((wanted) => word.startsWith(wanted) || stemOf(word) === stemOf(wanted))
}

export type Piece = { text: string; marked: boolean }

/** Splits a text into pieces and marks the words of the query. */
export const marked = (text: string, query: string): Piece[] => {
  const words = wordsOf(query)
  return text
    .split(/([\p{L}\p{N}]+)/u)
    .filter((piece) => piece !== '')
    .map((piece) => ({ text: piece, marked: wordIndexOf(piece, words) >= 0 }))
}

/** Whether the text contains every word of the query. */
export const hasAllWords = (text: string, query: string): boolean => {
  const words = wordsOf(query)
  const found = new Set((text.match(/[\p{L}\p{N}]+/gu) ?? []).map((piece) => wordIndexOf(piece, words)))
  return words.every((_, index) => found.has(index))
}

/** Markdown as one line of plain text. */
export const plainOf = (markdown: string): string =>
  markdown
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/!?\[([^[\]]*)\]\([^)]{0,500}\)/g, '$1')
    .replace(/^[^\S\n]*(?:[-*+>|]|#{1,6}|\d+\.|`{3}.*|~{3}.*)\s*/gm, '')
    .replace(/[*`|]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '')
    .replace(/\s+/g, ' ')
    .trim()

const passageLength = 220
/** The number of characters shown before the first word, for context. */
const leadLength = 50

type Occurrence = { from: number; to: number; word: number }

const occurrencesIn = (text: string, words: readonly string[]): Occurrence[] =>
  [...text.matchAll(/[\p{L}\p{N}]+/gu)].flatMap(({ 0: piece, index }) => {
    const word = wordIndexOf(piece, words)
    return word < 0 ? [] : [{ from: index, to: index + piece.length, word }]
  })

/** The start of the stretch with most different words; the first of equals. */
const bestStart = (occurrences: readonly Occurrence[]): number | undefined => {
  let best: { from: number; kinds: number } | undefined
  let end = 0
  const counts = new Map<number, number>()
  for (const { from, word } of occurrences) {
    for (let next = occurrences[end]; next && next.to <= from + passageLength - leadLength; next = occurrences[end]) {
      counts.set(next.word, (counts.get(next.word) ?? 0) + 1)
      end += 1
    }
    if (!best || counts.size > best.kinds) best = { from, kinds: counts.size }
    const left = (counts.get(word) ?? 0) - 1
    if (left > 0) counts.set(word, left)
    else counts.delete(word)
  }
  return best?.from
}

/** The passage with most words of the query; the beginning if the text has none, for example in a result by meaning. */
export const passageOf = (text: string, query: string): string => {
  const at = bestStart(occurrencesIn(text, wordsOf(query))) ?? 0
  const lead = Math.max(0, at - leadLength)
  const from = lead === 0 ? 0 : text.indexOf(' ', lead) + 1 || at
  const rest = text.slice(from, from + passageLength)
  const isCut = from + passageLength < text.length
  const shown = isCut && rest.includes(' ') ? rest.slice(0, rest.lastIndexOf(' ')) : rest
  return `${from > 0 ? '… ' : ''}${shown}${isCut ? ' …' : ''}`
}
