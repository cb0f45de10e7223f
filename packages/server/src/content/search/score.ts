// Scores how well a document matches a query, from 0 to 1. Pure. Word frequencies are not used, because scores of one
// workspace must not reveal the texts of another.

/** Where a word of the query was found. */
export type Hit = 'head' | 'body' | 'none'

const hitWeights: Record<Hit, number> = { head: 1, body: 0.8, none: 0 }

/** Long words are more specific than short ones. */
const weightOf = (word: string): number => Math.min(Math.max(word.length, 2), 8)

/** The integer score of a word, for selecting the documents that are scored. */
export const pointsOf = (word: string, hit: Hit): number => Math.round(weightOf(word) * hitWeights[hit] * 10)

export type Term = {
  word: string
  hit: Hit
  /** Similarity of the most similar word in the label, from 0 to 1, for misspellings. */
  likeness: number
}

/** A lower similarity is coincidence. */
const minSimilarity = 0.5

/** The weighted share of the query's words that the document contains. */
export const lexicalScore = (terms: readonly Term[]): number => {
  let matched = 0
  let all = 0
  for (const { word, hit, likeness } of terms) {
    const weight = weightOf(word)
    const resembling = likeness >= minSimilarity ? likeness * 0.9 : 0
    matched += weight * Math.max(hitWeights[hit], resembling)
    all += weight
  }
  return all === 0 ? 0 : matched / all
}

/** Cosines of unrelated texts are below the first, those of paraphrases above the second. */
export type CosineRange = { unrelated: number; same: number }

/** For the bundled model. */
export const ownRange: CosineRange = { unrelated: 0.3, same: 0.75 }

export const semanticScore = (cosine: number, { unrelated, same }: CosineRange = ownRange): number =>
  Math.min(1, Math.max(0, (cosine - unrelated) / (same - unrelated)))

/** The higher of the two scores decides, the other one can only add to it. */
export const fusedScore = (lexical: number, semantic: number): number => 1 - (1 - lexical) * (1 - semantic)

/** A decayed entry keeps most of its score, so that it ranks lower but is still found. */
export const weighed = (score: number, confidence: number): number => score * (0.8 + 0.2 * confidence)

/** Four digits; more would suggest a precision that the score does not have. */
export const rounded = (score: number): number => Math.round(Math.min(1, Math.max(0, score)) * 10_000) / 10_000
