// The words of documents in memory, by who may find them, and which documents hold those of a query, the best first. Knows no
// database. The documents of a group lie in pieces; those of one size are put together into a larger one. Groups of others
// are not looked at, so that what they hold cannot be told by what is found, nor by how long it takes.
import type { Audiences } from './nearest-table.ts'
import {
  bytesOf,
  hitAt,
  holdsWord,
  joined,
  mostDocuments,
  type Piece,
  pieceOf,
  postingsBeginning,
  postingsOf,
  type Range,
} from './words-piece.ts'

/** `words`: all there are; `heads`: those of name, title, description and tags. */
export type WordsRow = {
  id: string
  kind: string
  audience: string
  words: readonly string[]
  heads: readonly string[]
}

/** A word as it stands in documents, and how many points one gets for it in its head or elsewhere: whole numbers. */
export type AskedWord = { word: string; inHead: number; elsewhere: number }

export type Asked = {
  words: readonly AskedWord[]
  /** Of the last word, which may still be being typed: what holds a longer one holds it too. */
  beginning: string | null
  /** How many of each kind are wanted, and how many that hold every word make the others needless. */
  limit: number
  enough: number
}

/** So many pieces of one size become one. The largest hold some thousand documents, and stay. */
const fan = 8
const sizes = 3

type Group = { readonly key: string; pieces: Piece[] }
type Place = { readonly group: Group; readonly piece: Piece; readonly at: number }

export type WordsTable = { groups: Map<string, Group>; places: Map<string, Place>; bytes: number }

export const createWordsTable = (): WordsTable => ({ groups: new Map(), places: new Map(), bytes: 0 })

const keyOf = (kind: string, audience: string): string => `${kind} ${audience}`
const sizeOf = ({ live }: Piece): number => Math.floor(Math.log2(Math.max(live, 1)) / Math.log2(fan))

const add = (table: WordsTable, group: Group, piece: Piece): void => {
  group.pieces.push(piece)
  table.groups.set(group.key, group)
  table.bytes += bytesOf(piece)
  for (const [at, id] of piece.ids.entries()) table.places.set(id, { group, piece, at })
}

/** Puts pieces together, without what is gone. */
const join = (table: WordsTable, group: Group, pieces: readonly Piece[]): void => {
  group.pieces = group.pieces.filter((one) => !pieces.includes(one))
  for (const piece of pieces) table.bytes -= bytesOf(piece)
  if (pieces.some(({ live }) => live > 0)) add(table, group, joined(pieces))
  else if (group.pieces.length === 0) table.groups.delete(group.key)
}

export const removeWords = (table: WordsTable, id: string): void => {
  const place = table.places.get(id)
  if (!place) return
  const { group, piece, at } = place
  table.places.delete(id)
  piece.gone[at] = 1
  piece.live -= 1
  if (piece.live * 2 < piece.ids.length) join(table, group, [piece])
}

/** Rows that come together, at most as many as a piece holds, become one piece of each group. */
export const putWords = (table: WordsTable, rows: readonly WordsRow[]): void => {
  if (rows.length > mostDocuments) throw new Error('These are more rows than a piece holds')
  const byGroup = new Map<string, Piece[]>()
  for (const { id, kind, audience, words, heads } of rows) {
    removeWords(table, id)
    const key = keyOf(kind, audience)
    const pieces = byGroup.get(key) ?? []
    byGroup.set(key, pieces)
    pieces.push(pieceOf(id, words, heads))
  }
  for (const [key, pieces] of byGroup) {
    const group = table.groups.get(key) ?? { key, pieces: [] }
    add(table, group, joined(pieces))
    for (let size = 0; size < sizes; size += 1) {
      const alike = group.pieces.filter((piece) => sizeOf(piece) === size)
      if (alike.length >= fan) join(table, group, alike)
    }
  }
}

const piecesOf = ({ groups }: WordsTable, kind: string, who: readonly string[]): Piece[] =>
  who.flatMap((audience) => groups.get(keyOf(kind, audience))?.pieces ?? [])

/** Per document of the piece at hand: how many of the words it holds, times this, and its points. */
const sums = new Int32Array(mostDocuments)
const wordBits = 16
const oneWord = 1 << wordBits
/** Which documents were counted for the last word already. */
const counted = new Uint8Array(mostDocuments)

/** Fills `sums`. Of each word, where in the piece it has postings. */
const sumUp = (piece: Piece, { words, beginning }: Asked): Range[][] => {
  sums.fill(0, 0, piece.ids.length)
  return words.map(({ word, inHead, elsewhere }, place) => {
    const whole = postingsOf(piece, word)
    for (let at = whole.start; at < whole.end; at += 1) {
      const posting = piece.postings[at] ?? 0
      sums[posting >> 1] = (sums[posting >> 1] ?? 0) + oneWord + (posting & 1 ? inHead : elsewhere)
    }
    const isLast = place === words.length - 1
    return isLast && beginning !== null ? [whole, sumUpBeginnings(piece, whole, beginning)] : [whole]
  })
}

/** The beginning of a word counts as the word, but gives a single point. Where the longer words have postings. */
const sumUpBeginnings = (piece: Piece, whole: Range, beginning: string): Range => {
  const longer = postingsBeginning(piece, beginning)
  if (longer.start === longer.end) return longer
  counted.fill(0, 0, piece.ids.length)
  for (let at = whole.start; at < whole.end; at += 1) counted[(piece.postings[at] ?? 0) >> 1] = 1
  for (let at = longer.start; at < longer.end; at += 1) {
    const document = (piece.postings[at] ?? 0) >> 1
    if (counted[document]) continue
    counted[document] = 1
    sums[document] = (sums[document] ?? 0) + oneWord + 1
  }
  return longer
}

const sizeOfRanges = (ranges: readonly Range[]): number => ranges.reduce((sum, { start, end }) => sum + end - start, 0)

/** What holds so many of the words holds one of these: all but the most common ones that it may do without. */
const enoughOf = (words: readonly Range[][], held: number): Range[] =>
  [...words]
    .sort((one, other) => sizeOfRanges(one) - sizeOfRanges(other))
    .slice(0, words.length - held + 1)
    .flat()

type Candidate = { id: string; rank: number; isWhole: boolean }

const best = (candidates: Candidate[], limit: number): Candidate[] =>
  candidates.sort((a, b) => b.rank - a.rank || (a.id < b.id ? -1 : 1)).slice(0, limit)

/** What holds every word comes before what does not; then points count, and the shorter head. */
const wholeRank = 2 ** 20
const headRank = 2 ** 16

/** How many words it takes at least to get so many points, if all of them stand in a head. */
const wordsFor = (points: number, words: readonly AskedWord[]): number => {
  if (points >= wholeRank) return words.length
  const most = words.map(({ inHead }) => inHead).sort((a, b) => b - a)
  let count = 0
  for (let reached = 0; reached < points && count < words.length; count += 1) reached += most[count] ?? 0
  return Math.max(count, 1)
}

const findOf = (pieces: readonly Piece[], asked: Asked): string[] => {
  const { words, limit, enough } = asked
  let candidates: Candidate[] = []
  let least = 0
  // Once enough are known that hold several words, what holds fewer is not looked at: of a common word, nearly everything.
  let held = 1
  for (const piece of pieces) {
    const { ids, gone, headSizes, postings } = piece
    for (const { start, end } of enoughOf(sumUp(piece, asked), held))
      for (let place = start; place < end; place += 1) {
        const at = (postings[place] ?? 0) >> 1
        const sum = sums[at] ?? 0
        if (sum >>> wordBits < held || gone[at]) continue
        sums[at] = 0
        const isWhole = sum >>> wordBits >= words.length
        const points = (sum & (oneWord - 1)) + (isWhole ? wholeRank : 0)
        const rank = points * headRank - (headSizes[at] ?? 0)
        if (rank <= least) continue
        candidates.push({ id: ids[at] ?? '', rank, isWhole })
        if (candidates.length < limit * 4) continue
        candidates = best(candidates, limit)
        least = candidates.at(-1)?.rank ?? 0
        held = wordsFor(Math.ceil(least / headRank), words)
      }
  }
  const found = best(candidates, limit)
  const whole = found.filter(({ isWhole }) => isWhole)
  return (whole.length >= enough ? whole : found).map(({ id }) => id)
}

/** Of each kind so many, the best first. */
export const findWords = (table: WordsTable, audiences: Audiences, asked: Asked): string[] =>
  asked.words.length === 0 ? [] : [...audiences].flatMap(([kind, who]) => findOf(piecesOf(table, kind, who), asked))

/** For each word, where a document has it: 2 in its head, 1 elsewhere, 0 nowhere. */
export const hitsOf = ({ places }: WordsTable, id: string, words: readonly string[]): number[] => {
  const place = places.get(id)
  return words.map((word) => (place ? hitAt(place.piece, place.at, word) : 0))
}

/** Whether any document of these audiences holds the word. */
export const isKnown = (table: WordsTable, audiences: Audiences, word: string): boolean =>
  [...audiences].some(([kind, who]) => piecesOf(table, kind, who).some((piece) => holdsWord(piece, word)))
