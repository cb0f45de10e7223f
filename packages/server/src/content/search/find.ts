// One search: combines words, misspellings and meaning into one score per document.
import { LRUCache } from 'lru-cache'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { perPlatform } from '#platform/core/per-platform.ts'
import { findCandidates } from './candidates.ts'
import { meaningOf } from './embedding/meaning.ts'
import { type Candidate, findLexemes, type Terms } from './query-store.ts'
import { fusedScore, type Hit, lexicalScore, rounded, semanticScore, weighed } from './score.ts'
import { confidence } from './suggestions/decay.ts'
import { normalised, wordsOf } from './words.ts'

/** The score and its two components. */
export type ScoredCandidate = Candidate & { score: number; lexical: number; semantic: number }

export type SearchQuery = {
  query: string
  /** The text whose meaning is searched, if it is more than the query. */
  meaning?: string
  kinds: readonly string[]
  /** Maximum number per kind. */
  limit: number
}

/** Lexemes of recent words; a word always has the same lexemes. */
const lexemesOf = perPlatform(() => new LRUCache<string, readonly string[]>({ max: 5_000 }))

const termsOf = async (ctx: Ctx<Actor>, query: string): Promise<Terms> => {
  const known = lexemesOf(ctx)
  const words = wordsOf(query)
  const unknown = words.filter((word) => !known.has(word))
  const found = unknown.length === 0 ? [] : await findLexemes(ctx.db, unknown)
  for (const [index, word] of unknown.entries()) known.set(word, found[index] ?? [])
  const counted = words.flatMap((word) => (known.get(word) ?? []).map((lexeme) => ({ word, lexeme })))
  return { words: counted.map(({ word }) => word), lexemes: counted.map(({ lexeme }) => lexeme) }
}

const hits: readonly Hit[] = ['none', 'body', 'head']

/** A text that contains all words is not necessarily the same text. */
const almost = 0.97

const lexicalOf = (query: string, terms: Terms, found: Candidate): number => {
  const normalizedQuery = normalised(query)
  if ([found.name, found.title, found.description].some((text) => normalised(text) === normalizedQuery)) return 1
  return (
    almost *
    lexicalScore(
      terms.words.map((word, index) => ({
        word,
        hit: hits[found.hits?.[index] ?? 0] ?? 'none',
        likeness: found.likeness?.[index] ?? 0,
      })),
    )
  )
}

/** Best first. Documents that share neither a word nor the meaning are omitted. */
export const find = async (
  ctx: Ctx<Actor>,
  { query, kinds, limit, ...question }: SearchQuery,
): Promise<ScoredCandidate[]> => {
  const terms = await termsOf(ctx, query)
  const meaning = await meaningOf(ctx, question.meaning ?? query)
  const found = await findCandidates(ctx, { terms, meaning, kinds, limit })
  const candidates = new Map(found.map((candidate) => [candidate.id, candidate]))
  const now = ctx.now()
  return [...candidates.values()]
    .map((candidate): ScoredCandidate => {
      const lexical = lexicalOf(query, terms, candidate)
      const semantic = meaning ? semanticScore(candidate.cosine ?? 0, meaning.range) : 0
      const score = fusedScore(lexical, semantic)
      const confirmedAt = candidate.confirmed_at === null ? null : new Date(candidate.confirmed_at)
      return { ...candidate, lexical, semantic, score: rounded(weighed(score, confidence(confirmedAt, now))) }
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.name.length - b.name.length || (a.id < b.id ? -1 : 1))
}
