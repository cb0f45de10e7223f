// What may answer a query: what holds its words, what is near in meaning, and what resembles a word that nothing holds. Looked
// for in the memory of the server; while that is being loaded or is too small, in the rows, by words alone.
import { type Actor, isMember } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { audiencesFor, callerOf } from './access.ts'
import { byWordsOnly, compareMeaning, type Meaning, type Semantics, sayNotInTime } from './meaning.ts'
import { freshMemory, type Memory } from './memory.ts'
import { findTeamsOfOrg } from './memory-store.ts'
import type { Audiences } from './nearest-table.ts'
import * as store from './query-store.ts'
import { pointsOf } from './score.ts'
import { findWords, hitsOf, isKnown } from './words-table.ts'

export type Wanted = {
  terms: store.Terms
  meaning: Meaning | null
  kinds: readonly string[]
  /** How many of each kind. */
  limit: number
}

export type Looked = { found: store.Candidate[]; semantics: Semantics }

/** Of a kind, what makes it needless to look for documents with some of the words only. */
const enough = 5
/** Shorter words resemble too many others, unless hardly anything was found. */
const shortestMistyped = 4
/** Shorter ones begin too many words. */
const shortestBeginning = 2
const loadTimeoutMs = 1_500

/** The load of everything goes on; who asked meanwhile does not wait for its end. */
const memoryInTime = async (ctx: Ctx<Actor>): Promise<Memory | null> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('The memory is still being loaded')), loadTimeoutMs)
  })
  try {
    return await Promise.race([freshMemory(ctx), late])
  } catch (error) {
    ctx.log.warn({ err: error }, 'a query was not looked for in memory')
    return null
  } finally {
    clearTimeout(timer)
  }
}

/** The workspaces whose rows an organization shares with the caller. */
const orgTeamsOf = ({ db, actor }: Ctx<Actor>): Promise<string[]> | string[] =>
  isMember(actor) && actor.orgId !== null ? findTeamsOfOrg(db, actor.orgId) : []

export const lookFor = async (ctx: Ctx<Actor>, wanted: Wanted): Promise<Looked> => {
  const reach: store.Reach = { kinds: wanted.kinds, caller: callerOf(ctx.actor) }
  const orgTeams = await orgTeamsOf(ctx)
  const memory = await memoryInTime(ctx)
  const audiences = audiencesFor(ctx.actor, wanted.kinds, orgTeams)
  const semantics = semanticsOf(ctx, wanted, memory, audiences)
  const { terms, limit } = wanted
  const found = memory
    ? await findInMemory(ctx, reach, wanted, { memory, audiences, near: semantics.near })
    : await findInRows(ctx, reach, wanted)
  const suspects = suspectsOf(terms, found)
  if (suspects.length === 0) return { found, semantics }
  const lexemes = suspects.map((place) => terms.lexemes[place] ?? '')
  const known = memory
    ? lexemes.map((lexeme) => isKnown(memory.words, audiences, lexeme))
    : await store.findKnown(ctx.db, reach, lexemes)
  const mistyped = suspects.flatMap((place, index) => (known[index] ? [] : (terms.words[place] ?? [])))
  if (mistyped.length === 0) return { found, semantics }
  return { found: [...found, ...(await store.findByLikeness(ctx.db, reach, terms, mistyped, limit))], semantics }
}

const semanticsOf = (
  ctx: Ctx<Actor>,
  { meaning, limit }: Wanted,
  memory: Memory | null,
  audiences: Audiences,
): Semantics => {
  if (!meaning) return byWordsOnly
  // An endpoint may give vectors of another length than a moment ago.
  if (memory?.vectors?.length === meaning.vector.length)
    return compareMeaning(meaning, memory.vectors, audiences, limit)
  sayNotInTime(ctx)
  return byWordsOnly
}

type InMemory = { memory: Memory; audiences: Audiences; near: readonly string[] }

const findInMemory = async (
  ctx: Ctx<Actor>,
  reach: store.Reach,
  { terms: { words, lexemes }, limit }: Wanted,
  { memory, audiences, near }: InMemory,
): Promise<store.Candidate[]> => {
  const last = words.at(-1) ?? ''
  const holding = findWords(memory.words, audiences, {
    words: lexemes.map((word, place) => ({
      word,
      inHead: pointsOf(words[place] ?? '', 'head'),
      elsewhere: pointsOf(words[place] ?? '', 'body'),
    })),
    beginning: last.length >= shortestBeginning ? last : null,
    limit,
    enough: Math.min(limit, enough),
  })
  const ids = [...new Set([...holding, ...near])]
  const rows = ids.length === 0 ? [] : await store.findByIds(ctx.db, reach, ids)
  return rows.map((row) => ({ ...row, hits: hitsOf(memory.words, row.id, lexemes), likeness: null }))
}

const findInRows = async (ctx: Ctx<Actor>, reach: store.Reach, { terms, limit }: Wanted): Promise<store.Candidate[]> =>
  terms.lexemes.length === 0 ? [] : store.findByWords(ctx.db, reach, terms, { limit, enough: Math.min(limit, enough) })

/** Words that nothing found holds. Likeness in spelling is dear: no other word is looked for by it. */
const suspectsOf = ({ words }: store.Terms, found: readonly store.Candidate[]): number[] => {
  const isSeen = (place: number) => found.some(({ hits }) => hits?.[place])
  const isRare = found.filter(({ hits }) => hits?.some((hit) => hit > 0)).length < enough
  return [...words.keys()].filter(
    (place) => !isSeen(place) && (isRare || (words[place]?.length ?? 0) >= shortestMistyped),
  )
}
