// Words of a question in what it found: which of them count as the same, and the passage of a text that has most of them. Pure.

/** Endings that make another form of the same word, as the server's index takes them. */
const endings = /(?:ations?|ments?|ings?|ers?|ed|ly|es|e|s)$/

const leastStem = 4

const stemOf = (word: string): string => {
  const stem = word.replace(endings, '')
  return stem.length < leastStem ? word : stem
}

/** What is looked for; single letters say nothing. */
export const wordsOf = (query: string): string[] => [
  ...new Set(
    query
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word.length > 1),
  ),
]

/** Which of the words this one begins as, or is another form of; -1 for none of them. */
const placeOf = (piece: string, words: readonly string[]): number => {
  const word = piece.toLowerCase()
  return words.findIndex((asked) => word.startsWith(asked) || stemOf(word) === stemOf(asked))
}

export type Piece = { text: string; marked: boolean }

/** The text in pieces, those that are words of the question being marked. */
export const marked = (text: string, query: string): Piece[] => {
  const words = wordsOf(query)
  return text
    .split(/([\p{L}\p{N}]+)/u)
    .filter((piece) => piece !== '')
    .map((piece) => ({ text: piece, marked: placeOf(piece, words) >= 0 }))
}

/** Whether every word of the question stands in the text. */
export const hasAllWords = (text: string, query: string): boolean => {
  const words = wordsOf(query)
  const found = new Set((text.match(/[\p{L}\p{N}]+/gu) ?? []).map((piece) => placeOf(piece, words)))
  return words.every((_, place) => found.has(place))
}

/** Markdown as the words that a reader sees, in one line. */
export const plainOf = (markdown: string): string =>
  markdown
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s*(?:[-*+>|]|#{1,6}|\d+\.|`{3}.*|~{3}.*)\s*/gm, '')
    .replace(/[*`|]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '')
    .replace(/\s+/g, ' ')
    .trim()

const passageLength = 220
/** How much of what stands before the first word is shown, for its sense. */
const leadLength = 50

type Place = { from: number; to: number; word: number }

const placesIn = (text: string, words: readonly string[]): Place[] =>
  [...text.matchAll(/[\p{L}\p{N}]+/gu)].flatMap(({ 0: piece, index }) => {
    const word = placeOf(piece, words)
    return word < 0 ? [] : [{ from: index, to: index + piece.length, word }]
  })

/** Where the stretch begins that holds most different words; the first of equals. */
const richest = (places: readonly Place[]): number | undefined => {
  let best: { from: number; kinds: number } | undefined
  let end = 0
  const counts = new Map<number, number>()
  for (const { from, word } of places) {
    for (let next = places[end]; next && next.to <= from + passageLength - leadLength; next = places[end]) {
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

/** The passage with most words of the question; the beginning of a text that has none, as where meanings were compared. */
export const passageOf = (text: string, query: string): string => {
  const at = richest(placesIn(text, wordsOf(query))) ?? 0
  const lead = Math.max(0, at - leadLength)
  const from = lead === 0 ? 0 : text.indexOf(' ', lead) + 1 || at
  const rest = text.slice(from, from + passageLength)
  const isCut = from + passageLength < text.length
  const shown = isCut && rest.includes(' ') ? rest.slice(0, rest.lastIndexOf(' ')) : rest
  return `${from > 0 ? '… ' : ''}${shown}${isCut ? ' …' : ''}`
}
