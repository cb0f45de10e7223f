// What of a text the model that comes along can read. It learnt English: a letter that it never saw is the same to it as any
// other such letter, so that all texts in Japanese would mean the same; and what it can only spell, letter by letter, is
// near to everything else that it can only spell. Pure.

/** The piece that stands for everything without one of its own. */
const unknownPiece = 0
/** A word in shorter pieces than this, on the average, is spelled. */
const lettersOfPiece = 1.5

/** The text as it can be read; null where no word of it has a meaning. */
export const readable = (text: string, piecesOf: (word: string) => readonly number[]): string | null => {
  const words = text.split(/\s+/u).filter((word) => word !== '')
  const read = words.flatMap((word) => {
    const pieces = piecesOf(word)
    return pieces.includes(unknownPiece) ? [] : [{ word, isSpelled: word.length < lettersOfPiece * pieces.length }]
  })
  if (read.every(({ isSpelled }) => isSpelled)) return null
  return read.length === words.length ? text : read.map(({ word }) => word).join(' ')
}
