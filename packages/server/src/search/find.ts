// One search: words, what is mistyped, and meaning, brought together into one score per document.
import { LRUCache } from 'lru-cache'
import type { Actor } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { perPlatform } from '../core/per-platform.ts'
import { findableBy } from './access.ts'
import { confidence } from './decay.ts'
import { semanticsOf } from './meaning.ts'
import * as store from './query-store.ts'
import { fusedScore, type Hit, lexicalScore, rounded, weighed } from './score.ts'
import { normalised, wordsOf } from './words.ts'

/** The score, and what each of the two witnesses said. */
export type Found = store.Candidate & { score: number; lexical: number; semantic: number }

export type Question = {
  query: string
  /** What the meaning is taken from, where that is more than the query. */
  meaning?: string
  kinds: readonly string[]
  /** How many of each kind are wanted. */
  limit: number
}

/** Of a kind, what makes it needless to look for documents with some of the words only. */
const enough = 5
/** Shorter words resemble too many others, unless hardly anything was found. */
const shortestMistyped = 4

/** How words stand in the index, of those that were asked for before: a word always stands there the same. */
const stemsOf = perPlatform(() => new LRUCache<string, { stem: string | null }>({ max: 5_000 }))

const termsOf = async (ctx: Ctx<Actor>, query: string): Promise<store.Terms> => {
  const known = stemsOf(ctx)
  const words = wordsOf(query)
  const unknown = words.filter((word) => !known.has(word))
  const found = unknown.length === 0 ? [] : await store.findStems(ctx.db, unknown)
  for (const [index, word] of unknown.entries()) known.set(word, { stem: found[index] ?? null })
  const counted = words.flatMap((word) => {
    const stem = known.get(word)?.stem
    return stem ? [{ word, stem }] : []
  })
  return { words: counted.map(({ word }) => word), stems: counted.map(({ stem }) => stem) }
}

/** Each word as the index is asked for it; the last may still be being typed. */
const expressionsOf = ({ words, stems }: store.Terms): string[] => {
  const last = words.at(-1) ?? ''
  return [...stems.slice(0, -1), last.length >= 2 ? `(${stems.at(-1)} | '${last}':*)` : `${stems.at(-1)}`]
}

/** What holds the words, and what is near in meaning. */
const findCandidates = async (
  ctx: Ctx<Actor>,
  reach: store.Reach,
  terms: store.Terms,
  limit: number,
  near: readonly string[],
): Promise<store.Candidate[]> => {
  if (terms.stems.length === 0) return near.length === 0 ? [] : store.findByIds(ctx.db, reach, terms, near)
  const expressions = { all: expressionsOf(terms).join(' & '), any: terms.stems.join(' | ') }
  const wanted = { limit, enough: Math.min(limit, enough), near }
  const found = await store.findCandidates(ctx.db, reach, terms, expressions, wanted)
  const mistyped = await findMistyped(ctx, reach, terms, found)
  if (mistyped.length === 0) return found
  return [...found, ...(await store.findByLikeness(ctx.db, reach, terms, mistyped, limit))]
}

/** Words that nothing holds which the caller may find. Likeness in spelling is dear: no other word is looked for by it. */
const findMistyped = async (
  ctx: Ctx<Actor>,
  reach: store.Reach,
  terms: store.Terms,
  found: readonly store.Candidate[],
): Promise<string[]> => {
  const isSeen = (place: number) => found.some(({ hits }) => hits?.[place])
  const isRare = found.filter(({ hits }) => hits?.some((hit) => hit > 0)).length < enough
  const suspects = [...terms.words.keys()].filter(
    (place) => !isSeen(place) && (isRare || (terms.words[place]?.length ?? 0) >= shortestMistyped),
  )
  if (suspects.length === 0) return []
  const known = await store.findKnown(
    ctx.db,
    reach,
    suspects.map((place) => terms.stems[place] ?? ''),
  )
  return suspects.flatMap((place, index) => (known[index] ? [] : (terms.words[place] ?? [])))
}

const hits: readonly Hit[] = ['none', 'body', 'head']

/** All of its words are not yet the text itself. */
const almost = 0.97

const lexicalOf = (query: string, terms: store.Terms, found: store.Candidate): number => {
  const asked = normalised(query)
  if ([found.name, found.title, found.description].some((text) => normalised(text) === asked)) return 1
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

/** Best first. Documents that share neither a word nor the meaning are not among them. */
export const find = async (ctx: Ctx<Actor>, question: Question): Promise<Found[]> => {
  const { query, kinds, limit } = question
  const terms = await termsOf(ctx, query)
  const reach: store.Reach = { kinds, findable: findableBy(ctx.actor) }
  const semantics = await semanticsOf(ctx, { text: question.meaning ?? query, kinds, limit })
  const found = await findCandidates(ctx, reach, terms, limit, semantics.near)
  const candidates = new Map(found.map((candidate) => [candidate.id, candidate]))
  const now = ctx.now()
  return [...candidates.values()]
    .map((candidate): Found => {
      const lexical = lexicalOf(query, terms, candidate)
      const semantic = semantics.scoreOf(candidate.id)
      const score = fusedScore(lexical, semantic)
      const confirmedAt = candidate.confirmed_at === null ? null : new Date(candidate.confirmed_at)
      return { ...candidate, lexical, semantic, score: rounded(weighed(score, confidence(confirmedAt, now))) }
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.name.length - b.name.length || (a.id < b.id ? -1 : 1))
}
