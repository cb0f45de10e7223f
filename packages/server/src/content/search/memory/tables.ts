// The whole index in memory: words and vectors, and the candidates for a query. Independent of the database and of
// threads: runs on the event loop if small, otherwise on a thread.

import { createShownTexts } from '../shown-texts.ts'
import { type Audiences, bytesOfRow, createNearestTable } from './nearest-table.ts'
import type { WordsQuery } from './words-search.ts'
import { createWordsTable, putWords, removeWords, searchWords } from './words-table.ts'

/** A document. Its words are a JSON list that the holder of the tables parses. */
export type Document = {
  id: string
  kind: string
  audience: string
  words: string
  heads: string
  /** The JSON of its result, passed on as it is. */
  shown: string
  /** Null without a vector. */
  components: Int8Array | null
}

export type TablesQuery = {
  audiences: Audiences
  asked: WordsQuery
  /** Null: by words only. */
  vector: Float32Array | null
  /** A document without any of the words is returned only if its cosine is higher than this. */
  unrelated: number
}

export type TablesAnswer = {
  /** Documents with words of the query, the best first; then those that are only close in meaning. */
  ids: string[]
  /** For each document and word: 2 for the head, 1 for the text, 0 for no match. */
  hits: number[][]
  /** For each document, its cosine; null without a vector. */
  cosines: (number | null)[]
  /** The JSON list of the results. */
  shown: string
  /** For each word, whether any document in reach contains it. */
  known: boolean[]
  /** False if no cosines were computed, for example because an endpoint changed the length of its vectors. */
  isCompared: boolean
}

/** `length`: the number of components; null if unknown, and then no vectors are stored. */
export const createTables = (length: number | null) => {
  const words = createWordsTable()
  const vectors = length === null ? null : createNearestTable(length)
  const shown = createShownTexts()

  const compare = (vector: Float32Array, ids: readonly string[]): (number | null)[] =>
    vectors?.length === vector.length ? vectors.cosinesTo(vector, ids) : ids.map(() => null)

  return {
    put: (documents: readonly Document[]): void => {
      putWords(
        words,
        documents.map((one) => ({ ...one, words: JSON.parse(one.words), heads: JSON.parse(one.heads) })),
      )
      for (const { components, ...document } of documents) {
        shown.put(document.id, document.shown)
        if (components) vectors?.put({ ...document, components })
        else vectors?.remove(document.id)
      }
    },
    remove: (ids: readonly string[]): void => {
      for (const id of ids) {
        removeWords(words, id)
        vectors?.remove(id)
        shown.remove(id)
      }
    },
    find: ({ audiences, asked, vector, unrelated }: TablesQuery): TablesAnswer => {
      const { holding, hitsOf, known } = searchWords(words, audiences, asked)
      const isCompared = vector !== null && vectors?.length === vector.length
      const near = isCompared ? vectors.nearest(vector, audiences, asked.limit, unrelated) : []
      const cosines = new Map<string, number | null>(near.map(({ id, cosine }) => [id, cosine]))
      const others = holding.filter((id) => !cosines.has(id))
      const otherCosines = vector ? compare(vector, others) : []
      for (const [place, id] of others.entries()) cosines.set(id, otherCosines[place] ?? null)
      const ids = [...new Set([...holding, ...near.map(({ id }) => id)])]
      return {
        ids,
        hits: ids.map(hitsOf),
        shown: shown.listOf(ids),
        cosines: ids.map((id) => cosines.get(id) ?? null),
        known,
        isCompared,
      }
    },
    compare,
    size: (): { documents: number; vectors: number; bytes: number } => ({
      documents: words.places.size,
      vectors: vectors?.size() ?? 0,
      bytes: words.bytes + shown.bytes() + (vectors ? vectors.size() * bytesOfRow(vectors.length) : 0),
    }),
  }
}

export type Tables = ReturnType<typeof createTables>
