// The words of documents in memory, by who may find them, and which documents hold those of a query, the best first. Knows no
// database. The documents of a group lie in pieces; those of one size are put together into a larger one. Groups of others
// are not looked at, so that what they hold cannot be told by what is found, nor by how long it takes.
import type { Audiences } from './nearest-table.ts'
import { bytesOf, hitAt, isAnyLeft, joined, mostDocuments, nowhere, type Piece, pieceOf } from './words-piece.ts'
import { type Asked, findIn, type List, listsOf } from './words-search.ts'

/** `words`: all there are; `heads`: those of name, title, description and tags. */
export type WordsRow = {
  id: string
  kind: string
  audience: string
  words: readonly string[]
  heads: readonly string[]
}

/** So many pieces of one size become one, and no more at once. The largest hold 4,096 to 32,768 documents, and stay. */
const fan = 8
const sizes = 4

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
      if (alike.length >= fan) join(table, group, alike.slice(0, fan))
    }
  }
}

const piecesOf = ({ groups }: WordsTable, kind: string, who: readonly string[]): Piece[] =>
  who.flatMap((audience) => groups.get(keyOf(kind, audience))?.pieces ?? [])

export type WordsAnswer = {
  /** What holds words of the question: of each kind so many, the best first. */
  holding: string[]
  /** Per word, where a document has it: 2 in its head, 1 elsewhere, 0 nowhere. */
  hitsOf(id: string): number[]
  /** Of each word, whether any document of the audiences holds it. */
  known: boolean[]
}

/** Each word is looked up once in each piece. */
export const askWords = (table: WordsTable, audiences: Audiences, asked: Asked): WordsAnswer => {
  const found = new Map<Piece, List[]>()
  const listsIn = (piece: Piece): List[] => {
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
      kinds.some((pieces) => pieces.some((piece) => isAnyLeft(piece, listsIn(piece)[word]?.whole ?? nowhere))),
    ),
  }
}
