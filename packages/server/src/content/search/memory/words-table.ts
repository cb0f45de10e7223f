// The words of documents in memory, grouped by audience, and the search for the best documents of a query. Independent
// of the database. The documents of a group are in pieces that are merged with others of their size. Groups of other
// audiences are not read, so neither results nor timing reveal them.
import type { Audiences } from './nearest-table.ts'
import {
  bytesOf,
  hasRemaining,
  hitAt,
  type IndexPiece,
  joined,
  maxDocuments,
  noPostings,
  pieceOf,
} from './words-piece.ts'
import { findIn, listsOf, type PostingList, type WordsQuery } from './words-search.ts'

/** `words`: all words; `heads`: those of name, title, description and tags. */
export type WordsRow = {
  id: string
  kind: string
  audience: string
  words: readonly string[]
  heads: readonly string[]
}

/**
 * Number of pieces of similar size that are merged at a time. The largest pieces have 4,096 to 32,768 documents and are
 * not merged.
 */
const mergeFactor = 8
const sizes = 4

type Group = { readonly key: string; pieces: IndexPiece[] }
type RowPlace = { readonly group: Group; readonly piece: IndexPiece; readonly at: number }

export type WordsTable = { groups: Map<string, Group>; places: Map<string, RowPlace>; bytes: number }

export const createWordsTable = (): WordsTable => ({ groups: new Map(), places: new Map(), bytes: 0 })

const keyOf = (kind: string, audience: string): string => `${kind} ${audience}`
const sizeOf = ({ live }: IndexPiece): number => Math.floor(Math.log2(Math.max(live, 1)) / Math.log2(mergeFactor))

const add = (table: WordsTable, group: Group, piece: IndexPiece): void => {
  group.pieces.push(piece)
  table.groups.set(group.key, group)
  table.bytes += bytesOf(piece)
  for (const [at, id] of piece.ids.entries()) table.places.set(id, { group, piece, at })
}

/** Merges pieces without their removed documents. */
const join = (table: WordsTable, group: Group, pieces: readonly IndexPiece[]): void => {
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

/** Rows of one call become one piece per group; at most as many as fit in a piece. */
export const putWords = (table: WordsTable, rows: readonly WordsRow[]): void => {
  if (rows.length > maxDocuments) throw new Error('More rows than fit in a piece')
  const byGroup = new Map<string, IndexPiece[]>()
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
      const sameSize = group.pieces.filter((piece) => sizeOf(piece) === size)
      if (sameSize.length >= mergeFactor) join(table, group, sameSize.slice(0, mergeFactor))
    }
  }
}

const piecesOf = ({ groups }: WordsTable, kind: string, who: readonly string[]): IndexPiece[] =>
  who.flatMap((audience) => groups.get(keyOf(kind, audience))?.pieces ?? [])

export type WordsAnswer = {
  /** Documents with words of the query: the best of each kind, best first. */
  holding: string[]
  /** Per word: 2 for the head, 1 for the text, 0 for no match. */
  hitsOf(id: string): number[]
  /** For each word, whether any document of the audiences contains it. */
  known: boolean[]
}

/** Each word is looked up once per piece. */
export const searchWords = (table: WordsTable, audiences: Audiences, asked: WordsQuery): WordsAnswer => {
  const found = new Map<IndexPiece, PostingList[]>()
  const listsIn = (piece: IndexPiece): PostingList[] => {
    const lists = found.get(piece) ?? listsOf(piece, asked)
    found.set(piece, lists)
    return lists
  }
  const kinds = [...audiences].map(([kind, who]) => piecesOf(table, kind, who))
  return {
    holding: asked.words.length === 0 ? [] : kinds.flatMap((pieces) => findIn(pieces, asked, listsIn)),
    hitsOf: (id) => {
      const place = table.places.get(id)
      if (!place) return asked.words.map(() => 0)
      return listsIn(place.piece).map(({ whole }) => hitAt(place.piece, whole, place.at))
    },
    known: asked.words.map((_, word) =>
      kinds.some((pieces) => pieces.some((piece) => hasRemaining(piece, listsIn(piece)[word]?.whole ?? noPostings))),
    ),
  }
}
