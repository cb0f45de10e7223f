// An inverted index of some ten thousand documents that is never changed, only marked: which of them hold a word, first those that
// have it in their heads (name, title, description, tags). Small numbers in flat arrays, about two bytes for a word of a
// document. Pure.

export type Piece = {
  readonly ids: readonly string[]
  /** How many words the head of each has. */
  readonly headSizes: Uint16Array
  /** 1: the document is not here any more. */
  readonly gone: Uint8Array
  live: number
  /** Sorted. */
  readonly terms: readonly string[]
  /** Where the postings of each term begin; one more, for the end. */
  readonly starts: Uint32Array
  /** Where, among those of each term, the documents begin that do not have it in their heads. */
  readonly bodies: Uint32Array
  /** The places of documents. In ascending order for each term, among those with the term in their heads and among the rest. */
  readonly postings: Uint16Array
}

/** A piece holds no more: a place takes two bytes. */
export const mostDocuments = 65_536

/** What a document and a term take beside their postings. Estimated. */
const documentBytes = 200
const termBytes = 52

export const bytesOf = ({ ids, terms, postings }: Piece): number =>
  ids.length * documentBytes + terms.length * termBytes + postings.byteLength

/** One document; its terms are not sorted until it is put together with others, or with none. */
export const pieceOf = (id: string, words: readonly string[], heads: readonly string[]): Piece => {
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

const countLeft = ({ postings, gone, live, ids }: Piece, start: number, end: number): number => {
  if (live === ids.length) return end - start
  let count = 0
  for (let at = start; at < end; at += 1) if (!gone[postings[at] ?? 0]) count += 1
  return count
}

/** The terms of some pieces that still have documents, numbered as they come, and how many. */
type Tally = {
  numbers: Map<string, number>
  heads: Uint32Array
  bodies: Uint32Array
  /** Of each piece, the numbers of its terms. */
  ofPieces: Uint32Array[]
}

const tallyOf = (pieces: readonly Piece[]): Tally => {
  const numbers = new Map<string, number>()
  const most = pieces.reduce((sum, { terms }) => sum + terms.length, 0)
  const heads = new Uint32Array(most)
  const bodies = new Uint32Array(most)
  const ofPieces = pieces.map((piece) => {
    const own = new Uint32Array(piece.terms.length)
    for (const [term, word] of piece.terms.entries()) {
      const body = piece.bodies[term] ?? 0
      const inHeads = countLeft(piece, piece.starts[term] ?? 0, body)
      const elsewhere = countLeft(piece, body, piece.starts[term + 1] ?? 0)
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

/** Copies what is left of some postings, as the new places of their documents. Returns where the next one goes. */
const copy = (piece: Piece, start: number, end: number, places: Uint16Array, to: Uint16Array, from: number): number => {
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

/** `nextHeads`, `nextBodies`: for each number of a term, where its next posting goes. */
const copyAll = (
  pieces: readonly Piece[],
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

/** What is still there of some pieces, as one. */
export const joined = (pieces: readonly Piece[]): Piece => {
  const tally = tallyOf(pieces)
  const terms = [...tally.numbers.keys()].sort()
  const starts = new Uint32Array(terms.length + 1)
  const bodies = new Uint32Array(terms.length)
  // From here on, the tally says where the next posting goes.
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

/** The first term that is not before this one. */
const placeOf = ({ terms }: Piece, word: string): number => {
  let low = 0
  let high = terms.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((terms[middle] ?? '') < word) low = middle + 1
    else high = middle
  }
  return low
}

/** Some postings; up to `body`, those of heads. */
export type Range = { start: number; body: number; end: number }

export const nowhere: Range = { start: 0, body: 0, end: 0 }

/** Where the postings of a word are. */
export const postingsOf = (piece: Piece, word: string): Range => {
  const term = placeOf(piece, word)
  if (piece.terms[term] !== word) return nowhere
  return { start: piece.starts[term] ?? 0, body: piece.bodies[term] ?? 0, end: piece.starts[term + 1] ?? 0 }
}

/** Of all words that begin so: heads are not told apart, and a document may be there more than once. */
export const postingsBeginning = (piece: Piece, beginning: string): Range => {
  const start = piece.starts[placeOf(piece, beginning)] ?? 0
  return { start, body: start, end: piece.starts[placeOf(piece, `${beginning}\uffff`)] ?? 0 }
}

const isBetween = ({ postings }: Piece, start: number, end: number, document: number): boolean => {
  let low = start
  let high = end
  while (low < high) {
    const middle = (low + high) >> 1
    if ((postings[middle] ?? 0) < document) low = middle + 1
    else high = middle
  }
  return low < end && postings[low] === document
}

/** 2 where a document has the word of these postings in its head, 1 where elsewhere, 0 where nowhere. */
export const hitAt = (piece: Piece, { start, body, end }: Range, document: number): number => {
  if (isBetween(piece, body, end, document)) return 1
  return isBetween(piece, start, body, document) ? 2 : 0
}

/** Whether one of these documents is still here. */
export const isAnyLeft = ({ postings, gone }: Piece, { start, end }: Range): boolean => {
  for (let at = start; at < end; at += 1) if (!gone[postings[at] ?? 0]) return true
  return false
}
