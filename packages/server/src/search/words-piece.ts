// An inverted index of some thousand documents that is never changed, only marked: which of them hold a word, and whether in
// their heads (name, title, description, tags). Small numbers in flat arrays, about two bytes for a word of a document. Pure.

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
  /** In ascending order for each term: the place of a document, doubled, and one more where the term is in its head. */
  readonly postings: Uint16Array
}

/** A piece holds no more: a place, doubled, takes two bytes. */
export const mostDocuments = 32_768

/** What a document and a term take beside their postings. Estimated. */
const documentBytes = 200
const termBytes = 48

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
    postings: Uint16Array.from(words, (word) => (inHead.has(word) ? 1 : 0)),
  }
}

/** For each place in a piece, the one in the new piece; -1 for what is gone. */
const newPlaces = ({ ids, gone }: Piece, from: number): Int32Array => {
  let next = from
  return Int32Array.from(ids, (_id, place) => (gone[place] ? -1 : next++))
}

type Source = { piece: Piece; places: Int32Array }

const countTerms = (sources: readonly Source[]): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const { piece, places } of sources)
    for (let term = 0; term < piece.terms.length; term += 1) {
      let count = 0
      const end = piece.starts[term + 1] ?? 0
      for (let at = piece.starts[term] ?? 0; at < end; at += 1)
        if ((places[(piece.postings[at] ?? 0) >> 1] ?? -1) >= 0) count += 1
      const word = piece.terms[term] ?? ''
      if (count > 0) counts.set(word, (counts.get(word) ?? 0) + count)
    }
  return counts
}

/** Writes the postings of all pieces; `next` says where those of a term go. */
const writePostings = (sources: readonly Source[], next: Map<string, number>, postings: Uint16Array): void => {
  for (const { piece, places } of sources)
    for (let term = 0; term < piece.terms.length; term += 1) {
      const word = piece.terms[term] ?? ''
      let to = next.get(word) ?? 0
      const end = piece.starts[term + 1] ?? 0
      for (let at = piece.starts[term] ?? 0; at < end; at += 1) {
        const posting = piece.postings[at] ?? 0
        const place = places[posting >> 1] ?? -1
        if (place < 0) continue
        postings[to] = (place << 1) | (posting & 1)
        to += 1
      }
      next.set(word, to)
    }
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
  const next = new Map<string, number>()
  for (const [place, term] of terms.entries()) {
    const start = starts[place] ?? 0
    starts[place + 1] = start + (counts.get(term) ?? 0)
    next.set(term, start)
  }
  const postings = new Uint16Array(starts[terms.length] ?? 0)
  writePostings(sources, next, postings)
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

export type Range = { start: number; end: number }

const nowhere: Range = { start: 0, end: 0 }

/** Where the postings of a word are. */
export const postingsOf = (piece: Piece, word: string): Range => {
  const term = placeOf(piece, word)
  if (piece.terms[term] !== word) return nowhere
  return { start: piece.starts[term] ?? 0, end: piece.starts[term + 1] ?? 0 }
}

/** Of all words that begin so; a document may be there more than once. */
export const postingsBeginning = (piece: Piece, beginning: string): Range => ({
  start: piece.starts[placeOf(piece, beginning)] ?? 0,
  end: piece.starts[placeOf(piece, `${beginning}\uffff`)] ?? 0,
})

/** 2 where a document has the word in its head, 1 where elsewhere, 0 where nowhere. */
export const hitAt = (piece: Piece, document: number, word: string): number => {
  let { start: low, end: high } = postingsOf(piece, word)
  const end = high
  while (low < high) {
    const middle = (low + high) >> 1
    if ((piece.postings[middle] ?? 0) >> 1 < document) low = middle + 1
    else high = middle
  }
  const posting = piece.postings[low] ?? 0
  return low < end && posting >> 1 === document ? 1 + (posting & 1) : 0
}

/** Whether a document that is still here holds the word. */
export const holdsWord = (piece: Piece, word: string): boolean => {
  const { start, end } = postingsOf(piece, word)
  for (let at = start; at < end; at += 1) if (!piece.gone[(piece.postings[at] ?? 0) >> 1]) return true
  return false
}
