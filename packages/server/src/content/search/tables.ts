// All that can be found, in memory: words and vectors side by side, and what of it may answer a question. Knows no database
// and no thread: it is held by the event loop where there is little of it, and by a thread of its own where there is much.
import { type Audiences, bytesOfRow, createNearestTable } from './nearest-table.ts'
import { createShownTexts } from './shown-texts.ts'
import type { Asked } from './words-search.ts'
import { askWords, createWordsTable, putWords, removeWords } from './words-table.ts'

/** A document. Its words are a list as JSON: whoever holds the tables reads it. */
export type Document = {
  id: string
  kind: string
  audience: string
  words: string
  heads: string
  /** What a result shows of it, as JSON: it is handed on as it is. */
  shown: string
  /** Null: there is no vector of it. */
  components: Int8Array | null
}

export type Question = {
  audiences: Audiences
  asked: Asked
  /** Null: by words alone. */
  vector: Float32Array | null
  /** What holds none of the words is of use if its cosine is above this. */
  unrelated: number
}

export type Answer = {
  /** What holds words of the question, the best first; then what is only near in meaning. */
  ids: string[]
  /** Of each, per word: 2 in its head, 1 elsewhere, 0 nowhere. */
  hits: number[][]
  /** Of each, how near it is; null for what has no vector here. */
  cosines: (number | null)[]
  /** Of each, what a result shows: a list as JSON. */
  shown: string
  /** Of each word, whether anything that may be found holds it. */
  known: boolean[]
  /** Whether meanings were compared: an endpoint may give vectors of another length than a moment ago. */
  isCompared: boolean
}

/** `length`: of the vectors; null: it is not known yet, and none are held. */
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
    find: ({ audiences, asked, vector, unrelated }: Question): Answer => {
      const { holding, hitsOf, known } = askWords(words, audiences, asked)
      const isCompared = vector !== null && vectors?.length === vector.length
      const near = isCompared ? vectors.nearest(vector, audiences, asked.limit, unrelated) : []
      const cosines = new Map<string, number | null>(near.map(({ id, cosine }) => [id, cosine]))
      const others = holding.filter((id) => !cosines.has(id))
      const theirs = vector ? compare(vector, others) : []
      for (const [place, id] of others.entries()) cosines.set(id, theirs[place] ?? null)
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
