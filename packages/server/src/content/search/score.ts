// How well a document answers a query, from 0 to 1. Pure. Nothing here knows how often a word occurs elsewhere: what one
// workspace writes must not be seen in another one's scores.

/** Where a word of the query was found. */
export type Hit = 'head' | 'body' | 'none'

const worth: Record<Hit, number> = { head: 1, body: 0.8, none: 0 }

/** Long words say more than short ones. */
const weightOf = (word: string): number => Math.min(Math.max(word.length, 2), 8)

/** What a word gives where it is found, as a whole number: for choosing what is scored at all. */
export const pointsOf = (word: string, hit: Hit): number => Math.round(weightOf(word) * worth[hit] * 10)

export type Term = {
  word: string
  hit: Hit
  /** How much a word of the label resembles it, from 0 to 1: for what is mistyped. */
  likeness: number
}

/** A likeness below this is chance. */
const leastLikeness = 0.5

/** The weighed share of the query's words that the document holds. */
export const lexicalScore = (terms: readonly Term[]): number => {
  let held = 0
  let all = 0
  for (const { word, hit, likeness } of terms) {
    const weight = weightOf(word)
    const resembling = likeness >= leastLikeness ? likeness * 0.9 : 0
    held += weight * Math.max(worth[hit], resembling)
    all += weight
  }
  return all === 0 ? 0 : held / all
}

/** Cosines of texts that have nothing to do with each other lie below the first, paraphrases above the second. */
export type CosineRange = { unrelated: number; same: number }

/** Of the model that comes along. */
export const ownRange: CosineRange = { unrelated: 0.3, same: 0.75 }

export const semanticScore = (cosine: number, { unrelated, same }: CosineRange = ownRange): number =>
  Math.min(1, Math.max(0, (cosine - unrelated) / (same - unrelated)))

/** Words and meaning are two witnesses: the more convinced one decides, the other can only add. */
export const fusedScore = (lexical: number, semantic: number): number => 1 - (1 - lexical) * (1 - semantic)

/** What has faded still counts for most of what it was: it is found later, not never. */
export const weighed = (score: number, confidence: number): number => score * (0.8 + 0.2 * confidence)

/** Four digits: more would only look like knowledge. */
export const rounded = (score: number): number => Math.round(Math.min(1, Math.max(0, score)) * 10_000) / 10_000
