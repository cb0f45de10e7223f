// An immutable inverted index of up to 65,536 documents, which are only marked as deleted. Each term has its documents,
// first those with the term in the head (name, title, description, tags). Flat typed arrays, about two bytes per
// posting. Pure.

export type IndexPiece = {
  readonly ids: readonly string[]
  /** Number of words in the head of each document. */
  readonly headSizes: Uint16Array
  /** 1: the document was removed. */
  readonly gone: Uint8Array
  live: number
  /** Sorted. */
  readonly terms: readonly string[]
  /** The start of each term's postings, and the end of the last. */
  readonly starts: Uint32Array
  /** For each term, the start of the postings without the term in the head. */
  readonly bodies: Uint32Array
  /** Document numbers, per term in ascending order: first those with the term in the head, then the others. */
  readonly postings: Uint16Array
}

/** Maximum number of documents per piece, because postings have two bytes. */
export const maxDocuments = 65_536

/** Estimated memory of a document and of a term, besides the postings. */
const documentBytes = 200
const termBytes = 52

export const bytesOf = ({ ids, terms, postings }: IndexPiece): number =>
  ids.length * documentBytes + terms.length * termBytes + postings.byteLength

/** One document. Its terms are not sorted until it is merged. */
export const pieceOf = (id: string, words: readonly string[], heads: readonly string[]): IndexPiece => {
  const inHead = new Set(heads)
  const starts = new Uint32Array(words.length + 1)
  const bodies = new Uint32Array(words.length)
  for (const [place, word] of words.entries()) {
    starts[place + 1] = place + 1
    bodies[place] = inHead.has(word) ? place + 1 : place
  }
  return {
    ids: [id],
    headSizes: Uint16Array.of(Math.min(heads.length, 65_535)),
    gone: new Uint8Array(1),
    live: 1,
    terms: words,
    starts,
    bodies,
    postings: new Uint16Array(words.length),
  }
}

const countRemaining = ({ postings, gone, live, ids }: IndexPiece, start: number, end: number): number => {
  if (live === ids.length) return end - start
  let count = 0
  for (let at = start; at < end; at += 1) if (!gone[postings[at] ?? 0]) count += 1
  return count
}

/** The terms of several pieces that still have documents, in order of appearance, with their counts. */
type Tally = {
  numbers: Map<string, number>
  heads: Uint32Array
  bodies: Uint32Array
  /** For each piece, the numbers of its terms. */
  ofPieces: Uint32Array[]
}

const tallyOf = (pieces: readonly IndexPiece[]): Tally => {
  const numbers = new Map<string, number>()
  const most = pieces.reduce((sum, { terms }) => sum + terms.length, 0)
  const heads = new Uint32Array(most)
  const bodies = new Uint32Array(most)
  const ofPieces = pieces.map((piece) => {
    const own = new Uint32Array(piece.terms.length)
    for (const [term, word] of piece.terms.entries()) {
      const body = piece.bodies[term] ?? 0
      const inHeads = countRemaining(piece, piece.starts[term] ?? 0, body)
      const elsewhere = countRemaining(piece, body, piece.starts[term + 1] ?? 0)
      if (inHeads + elsewhere === 0) continue
      const number = numbers.get(word) ?? numbers.size
      if (number === numbers.size) numbers.set(word, number)
      own[term] = number
      heads[number] = (heads[number] ?? 0) + inHeads
      bodies[number] = (bodies[number] ?? 0) + elsewhere
    }
    return own
  })
  return { numbers, heads, bodies, ofPieces }
}

/** Copies the remaining documents of postings under their new numbers. Returns the next free position. */
const copy = (
  piece: IndexPiece,
  start: number,
  end: number,
  places: Uint16Array,
  to: Uint16Array,
  from: number,
): number => {
  const { postings, gone } = piece
  let next = from
  for (let at = start; at < end; at += 1) {
    const document = postings[at] ?? 0
    if (gone[document]) continue
    to[next] = places[document] ?? 0
    next += 1
  }
  return next
}

/** `nextHeads`, `nextBodies`: the next free position of each term. */
const copyAll = (
  pieces: readonly IndexPiece[],
  { ofPieces, heads: nextHeads, bodies: nextBodies }: Tally,
  to: Uint16Array,
): void => {
  let live = 0
  for (const [which, piece] of pieces.entries()) {
    const { starts, bodies, gone } = piece
    const places = new Uint16Array(gone.length)
    for (let place = 0; place < gone.length; place += 1) if (!gone[place]) places[place] = live++
    const own = ofPieces[which] ?? new Uint32Array()
    for (let term = 0; term < own.length; term += 1) {
      const number = own[term] ?? 0
      const body = bodies[term] ?? 0
      nextHeads[number] = copy(piece, starts[term] ?? 0, body, places, to, nextHeads[number] ?? 0)
      nextBodies[number] = copy(piece, body, starts[term + 1] ?? 0, places, to, nextBodies[number] ?? 0)
    }
  }
}

/** Merges pieces without their removed documents. */
export const joined = (pieces: readonly IndexPiece[]): IndexPiece => {
  const tally = tallyOf(pieces)
  const terms = [...tally.numbers.keys()].sort()
  const starts = new Uint32Array(terms.length + 1)
  const bodies = new Uint32Array(terms.length)
  // From here on, the tally has the next free positions.
  for (const [term, word] of terms.entries()) {
    const number = tally.numbers.get(word) ?? 0
    const start = starts[term] ?? 0
    const body = start + (tally.heads[number] ?? 0)
    bodies[term] = body
    starts[term + 1] = body + (tally.bodies[number] ?? 0)
    tally.heads[number] = start
    tally.bodies[number] = body
  }
  const postings = new Uint16Array(starts[terms.length] ?? 0)
  copyAll(pieces, tally, postings)
  const live = pieces.reduce((sum, piece) => sum + piece.live, 0)
  const ids: string[] = []
  const headSizes = new Uint16Array(live)
  for (const piece of pieces)
    for (const [place, id] of piece.ids.entries())
      if (!piece.gone[place]) headSizes[ids.push(id) - 1] = piece.headSizes[place] ?? 0
  return { ids, headSizes, gone: new Uint8Array(live), live, terms, starts, bodies, postings }
}

/** The first term that is not less than this word. */
const placeOf = ({ terms }: IndexPiece, word: string): number => {
  let low = 0
  let high = terms.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((terms[middle] ?? '') < word) low = middle + 1
    else high = middle
  }
  return low
}

/** A range of postings; those before `body` are for heads. */
export type PostingRange = { start: number; body: number; end: number }

export const noPostings: PostingRange = { start: 0, body: 0, end: 0 }

/** The postings of a word. */
export const postingsOf = (piece: IndexPiece, word: string): PostingRange => {
  const term = placeOf(piece, word)
  if (piece.terms[term] !== word) return noPostings
  return { start: piece.starts[term] ?? 0, body: piece.bodies[term] ?? 0, end: piece.starts[term + 1] ?? 0 }
}

/** The postings of all words with a prefix: heads are not separated, and a document may occur several times. */
export const postingsBeginning = (piece: IndexPiece, beginning: string): PostingRange => {
  const start = piece.starts[placeOf(piece, beginning)] ?? 0
  return { start, body: start, end: piece.starts[placeOf(piece, `${beginning}\uffff`)] ?? 0 }
}

const isBetween = ({ postings }: IndexPiece, start: number, end: number, document: number): boolean => {
  let low = start
  let high = end
  while (low < high) {
    const middle = (low + high) >> 1
    if ((postings[middle] ?? 0) < document) low = middle + 1
    else high = middle
  }
  return low < end && postings[low] === document
}

/** 2 if the document has the word of these postings in its head, 1 if elsewhere, 0 if not at all. */
export const hitAt = (piece: IndexPiece, { start, body, end }: PostingRange, document: number): number => {
  if (isBetween(piece, body, end, document)) return 1
  return isBetween(piece, start, body, document) ? 2 : 0
}

/** True if one of these documents was not removed. */
export const hasRemaining = ({ postings, gone }: IndexPiece, { start, end }: PostingRange): boolean => {
  for (let at = start; at < end; at += 1) if (!gone[postings[at] ?? 0]) return true
  return false
}
