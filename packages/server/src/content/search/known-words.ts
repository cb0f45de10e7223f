// What of a text the model that comes along can read. It learnt English: a letter that it never saw is the same to it as any
// other such letter, so that all texts in Japanese would mean the same; what it can only spell, letter by letter, is
// near to everything else that it can only spell; and every number is near to every other. Pure.

/** The piece that stands for everything without one of its own. */
const unknownPiece = 0
/** A word in shorter pieces than this, on the average, is spelled. */
const lettersOfPiece = 1.5

const hasMeaning = (word: string, pieces: readonly number[]): boolean =>
  /\p{L}/u.test(word) && word.length >= lettersOfPiece * pieces.length

/** The text as it can be read; null where no word of it has a meaning. */
export const readable = (text: string, piecesOf: (word: string) => readonly number[]): string | null => {
  const words = text.split(/\s+/u).filter((word) => word !== '')
  const read = words.flatMap((word) => {
    const pieces = piecesOf(word)
    return pieces.includes(unknownPiece) ? [] : [{ word, hasMeaning: hasMeaning(word, pieces) }]
  })
  if (!read.some(({ hasMeaning }) => hasMeaning)) return null
  return read.length === words.length ? text : read.map(({ word }) => word).join(' ')
}
