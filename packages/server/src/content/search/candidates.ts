// Candidates for a query: documents with its words, documents close in meaning, and documents with words similar to its
// unknown words. Searched in memory; while the memory is loading or too small, in the database and by words only.
import { type Actor, isMember } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { isFailure } from '#platform/core/errors.ts'
import { audiencesFor, callerOf } from './access.ts'
import { type Meaning, noticeTimeout } from './embedding/meaning.ts'
import { freshMemory, type SearchMemory } from './memory/memory.ts'
import { findTeamsOfOrg } from './memory/memory-store.ts'
import type { TablesAnswer, TablesQuery } from './memory/tables.ts'
import * as store from './query-store.ts'
import { pointsOf } from './score.ts'

export type CandidateQuery = {
  terms: store.Terms
  meaning: Meaning | null
  kinds: readonly string[]
  /** Maximum number per kind. */
  limit: number
}

/** With this many documents of a kind that contain all words, documents with some of the words are not searched. */
const enough = 5
/** Shorter words resemble too many others; they are searched by similarity only if hardly anything was found. */
const minMistypedLength = 4
/** Shorter words are prefixes of too many words. */
const minPrefixLength = 2
const loadTimeoutMs = 1_500

/** The load continues in the background after the time limit of the caller. */
const memoryInTime = async (ctx: Ctx<Actor>): Promise<SearchMemory | null> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('The memory is still being loaded')), loadTimeoutMs)
  })
  try {
    return await Promise.race([freshMemory(ctx), late])
  } catch (error) {
    ctx.log.warn({ err: error }, 'memory search failed; searching the database')
    return null
  } finally {
    clearTimeout(timer)
  }
}

/** The workspaces of the organization, whose documents may be shared with the caller. */
const orgTeamsOf = ({ db, actor }: Ctx<Actor>): Promise<string[]> | string[] =>
  isMember(actor) && actor.orgId !== null ? findTeamsOfOrg(db, actor.orgId) : []

const questionOf = (ctx: Ctx<Actor>, wanted: CandidateQuery, orgTeams: readonly string[]): TablesQuery => {
  const { words, lexemes } = wanted.terms
  const last = words.at(-1) ?? ''
  return {
    audiences: audiencesFor(ctx.actor, wanted.kinds, orgTeams),
    asked: {
      words: lexemes.map((word, place) => ({
        word,
        inHead: pointsOf(words[place] ?? '', 'head'),
        elsewhere: pointsOf(words[place] ?? '', 'body'),
      })),
      beginning: last.length >= minPrefixLength ? last : null,
      limit: wanted.limit,
      enough: Math.min(wanted.limit, enough),
    },
    vector: wanted.meaning?.vector ?? null,
    unrelated: wanted.meaning?.range.unrelated ?? 1,
  }
}

/** Null if the memory cannot answer. A rate-limited workspace is an answer. */
const answerOf = async (ctx: Ctx<Actor>, memory: SearchMemory, question: TablesQuery): Promise<TablesAnswer | null> => {
  try {
    return await memory.find(question)
  } catch (error) {
    if (isFailure(error)) throw error
    ctx.log.warn({ err: error }, 'memory search failed; searching the database')
    return null
  }
}

export const findCandidates = async (ctx: Ctx<Actor>, wanted: CandidateQuery): Promise<store.Candidate[]> => {
  const reach: store.SearchScope = { kinds: wanted.kinds, caller: callerOf(ctx.actor) }
  const orgTeams = await orgTeamsOf(ctx)
  const memory = await memoryInTime(ctx)
  const answer = memory && (await answerOf(ctx, memory, questionOf(ctx, wanted, orgTeams)))
  const { terms, meaning, limit } = wanted
  if (meaning && !answer?.isCompared) noticeTimeout(ctx)
  const found = answer ? answered(answer) : await findInRows(ctx, reach, wanted)
  const suspects = suspectsOf(terms, found)
  if (suspects.length === 0) return found
  const lexemes = suspects.map((place) => terms.lexemes[place] ?? '')
  const known = answer ? suspects.map((place) => answer.known[place]) : await store.findKnown(ctx.db, reach, lexemes)
  const mistyped = suspects.flatMap((place, index) => (known[index] ? [] : (terms.words[place] ?? [])))
  if (mistyped.length === 0) return found
  const similar = await store.findBySimilarity(ctx.db, reach, terms, mistyped, limit)
  return [...found, ...(memory && meaning ? await compared(memory, meaning, similar) : similar)]
}

/** Adds cosines for documents that were not found in memory. */
const compared = async (
  memory: SearchMemory,
  { vector }: Meaning,
  rows: readonly store.Candidate[],
): Promise<store.Candidate[]> => {
  const ids = rows.map(({ id }) => id)
  const cosines = await memory.compare(vector, ids).catch(() => [])
  return rows.map((row, place) => ({ ...row, cosine: cosines[place] ?? null }))
}

/** The documents of an answer from memory. */
const answered = ({ ids, hits, cosines, shown }: TablesAnswer): store.Candidate[] => {
  const rows: (store.ShownDocument | null)[] = JSON.parse(shown)
  return ids.flatMap((id, place) => {
    const row = rows[place]
    return row ? { id, ...row, hits: hits[place] ?? null, likeness: null, cosine: cosines[place] ?? null } : []
  })
}

const findInRows = async (
  ctx: Ctx<Actor>,
  reach: store.SearchScope,
  { terms, limit }: CandidateQuery,
): Promise<store.Candidate[]> =>
  terms.lexemes.length === 0 ? [] : store.findByWords(ctx.db, reach, terms, { limit, enough: Math.min(limit, enough) })

/** Words that no result contains. Search by similarity is expensive, so it is limited to them. */
const suspectsOf = ({ words }: store.Terms, found: readonly store.Candidate[]): number[] => {
  const isSeen = (place: number) => found.some(({ hits }) => hits?.[place])
  const isRare = found.filter(({ hits }) => hits?.some((hit) => hit > 0)).length < enough
  return [...words.keys()].filter(
    (place) => !isSeen(place) && (isRare || (words[place]?.length ?? 0) >= minMistypedLength),
  )
}
