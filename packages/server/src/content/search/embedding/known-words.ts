// The words of a text that the bundled model can read. It was trained on English: all letters that it does not know
// look the same, so all Japanese texts would have the same meaning; words that it can only spell letter by letter
// resemble each other; and so do numbers. Pure.

/** The token for everything without a token of its own. */
const unknownPiece = 0
/** A word with shorter tokens on average is spelled letter by letter. */
const lettersOfPiece = 1.5

const hasMeaning = (word: string, pieces: readonly number[]): boolean =>
  /\p{L}/u.test(word) && word.length >= lettersOfPiece * pieces.length

/** The text without unreadable words; null if no word is left. */
export const readable = (text: string, piecesOf: (word: string) => readonly number[]): string | null => {
  const words = text.split(/\s+/u).filter((word) => word !== '')
  const read = words.flatMap((word) => {
    const pieces = piecesOf(word)
    return pieces.includes(unknownPiece) ? [] : [{ word, hasMeaning: hasMeaning(word, pieces) }]
  })
  if (!read.some(({ hasMeaning }) => hasMeaning)) return null
  return read.length === words.length ? text : read.map(({ word }) => word).join(' ')
}
