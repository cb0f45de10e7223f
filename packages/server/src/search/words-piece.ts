// An inverted index of some thousand documents that is never changed, only marked: which of them hold a word, first those that
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
  return {
    ids: [id],
    headSizes: Uint16Array.of(Math.min(heads.length, 65_535)),
    gone: new Uint8Array(1),
    live: 1,
    terms: words,
    starts: Uint32Array.from({ length: words.length + 1 }, (_, place) => place),
    bodies: Uint32Array.from(words, (word, place) => (inHead.has(word) ? place + 1 : place)),
    postings: new Uint16Array(words.length),
  }
}

/** For each place in a piece, the one in the new piece; -1 for what is gone. */
const newPlaces = ({ ids, gone }: Piece, from: number): Int32Array => {
  let next = from
  return Int32Array.from(ids, (_id, place) => (gone[place] ? -1 : next++))
}

type Source = { piece: Piece; places: Int32Array }

/** Of each posting that stays: its term, whether it is of a head, and the new place of its document. */
const forEachPosting = (sources: readonly Source[], tell: (word: string, isHead: boolean, place: number) => void) => {
  for (const { piece, places } of sources)
    for (let term = 0; term < piece.terms.length; term += 1) {
      const word = piece.terms[term] ?? ''
      const body = piece.bodies[term] ?? 0
      const end = piece.starts[term + 1] ?? 0
      for (let at = piece.starts[term] ?? 0; at < end; at += 1) {
        const place = places[piece.postings[at] ?? 0] ?? -1
        if (place >= 0) tell(word, at < body, place)
      }
    }
}

type Count = { heads: number; bodies: number }

const countTerms = (sources: readonly Source[]): Map<string, Count> => {
  const counts = new Map<string, Count>()
  forEachPosting(sources, (word, isHead) => {
    const count = counts.get(word) ?? { heads: 0, bodies: 0 }
    if (isHead) count.heads += 1
    else count.bodies += 1
    if (count.heads + count.bodies === 1) counts.set(word, count)
  })
  return counts
}

/** What is still there of some pieces, as one. */
export const joined = (pieces: readonly Piece[]): Piece => {
  let live = 0
  const sources = pieces.map((piece) => {
    const places = newPlaces(piece, live)
    live += piece.live
    return { piece, places }
  })
  const counts = countTerms(sources)
  const terms = [...counts.keys()].sort()
  const starts = new Uint32Array(terms.length + 1)
  const bodies = new Uint32Array(terms.length)
  // From here on, a count says where the next posting goes.
  for (const [term, word] of terms.entries()) {
    const count = counts.get(word) ?? { heads: 0, bodies: 0 }
    const start = starts[term] ?? 0
    const body = start + count.heads
    bodies[term] = body
    starts[term + 1] = body + count.bodies
    count.heads = start
    count.bodies = body
  }
  const postings = new Uint16Array(starts[terms.length] ?? 0)
  forEachPosting(sources, (word, isHead, place) => {
    const next = counts.get(word)
    if (next) postings[isHead ? next.heads++ : next.bodies++] = place
  })
  const stays = (place: number, { gone }: Piece): boolean => !gone[place]
  return {
    ids: pieces.flatMap((piece) => piece.ids.filter((_id, place) => stays(place, piece))),
    headSizes: Uint16Array.from(
      pieces.flatMap((piece) => [...piece.headSizes].filter((_size, place) => stays(place, piece))),
    ),
    gone: new Uint8Array(live),
    live,
    terms,
    starts,
    bodies,
    postings,
  }
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
