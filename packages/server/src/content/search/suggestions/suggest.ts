// GET and POST /suggest: a few resources that fit the caller's task.
import { newId } from '@millrace/contract/ids'
import type {
  ConvertSuggestion,
  SuggestRequest,
  SuggestResponse,
  SuggestResult,
  SuggestType,
} from '@millrace/contract/search'
import { type Actor, isMember } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { find, type ScoredCandidate } from '../find.ts'
import { type SearchKind, searchKinds } from '../kinds.ts'
import { clipped } from './clipped.ts'
import * as store from './impressions-store.ts'

const relevanceFloor = 0.8
const maxLimit = 100
/** More than are shown, because duplicates and low scores are dropped. */
const candidateLimit = 50
const maxContextLength = 2_000

const suggestible: ReadonlyMap<string, SearchKind & { suggestedAs: SuggestType }> = new Map(
  searchKinds.flatMap((kind) =>
    kind.suggestedAs === null ? [] : [[kind.kind, { ...kind, suggestedAs: kind.suggestedAs }]],
  ),
)

/** The first result per key; results without a key are all kept. */
const firstOf = (found: readonly ScoredCandidate[], keyOf: (one: ScoredCandidate) => string): ScoredCandidate[] => {
  const seen = new Set<string>()
  return found.filter((one) => {
    const key = keyOf(one)
    if (key === '') return true
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  })
}

/** The best result per content, and of these the best per name. Expects the best first. */
const distinct = (found: readonly ScoredCandidate[]): ScoredCandidate[] =>
  firstOf(
    firstOf(found, ({ content_hash }) => content_hash),
    ({ kind, name }) => `${kind} ${name}`,
  )

const resultDto = (found: ScoredCandidate): SuggestResult[] => {
  const kind = suggestible.get(found.kind)
  if (!kind) return []
  const ref = `${found.namespace}/${found.name}`
  return [
    {
      type: kind.suggestedAs,
      ...(found.resource_kind === '' || found.resource_kind === found.kind ? {} : { tag: found.resource_kind }),
      name: ref,
      description: clipped(found.description),
      command: kind.command(ref),
      score: found.score,
    },
  ]
}

/** The text whose meaning is searched: the query, with its context if given. */
const meaningOf = ({ query, context = '', scope = [] }: SuggestRequest): string =>
  [query, context.slice(-maxContextLength), scope.join(' ')].filter((part) => part.trim() !== '').join('\n')

export const suggest = async (ctx: Ctx<Actor>, request: SuggestRequest): Promise<SuggestResponse> => {
  const { query, category = '', origin = '' } = request
  if (query.trim() === '') throw fail('invalid_request', 'query is required')
  const limit = Math.min(request.limit ?? (category === '' ? 3 : 10), maxLimit)
  const kinds = [...suggestible.values()]
    .filter(({ suggestedAs }) => category === '' || suggestedAs === category)
    .map(({ kind }) => kind)
  const found = await find(ctx, { query, meaning: meaningOf(request), kinds, limit: Math.max(candidateLimit, limit) })
  const relevant = found.filter((one) => one.score >= relevanceFloor && (origin === '' || one.origin !== origin))
  const shown = new Map<string, number>()
  const results = distinct(relevant)
    .filter(({ kind }) => {
      const count = (shown.get(kind) ?? 0) + 1
      shown.set(kind, count)
      return count <= limit
    })
    .flatMap(resultDto)
  if (results.length === 0) return { query, results }
  return { query, results, impression_id: await recordImpression(ctx, query, results) }
}

const recordImpression = async (ctx: Ctx<Actor>, query: string, results: SuggestResult[]): Promise<string> => {
  const id = newId()
  await store.insertImpression(ctx.db, {
    id,
    team_id: isMember(ctx.actor) ? ctx.actor.teamId : null,
    user_id: isMember(ctx.actor) ? ctx.actor.userId : null,
    query: query.slice(0, 500),
    results: JSON.stringify(results.map(({ type, name }) => ({ type, name }))),
    created_at: ctx.now().toISOString(),
  })
  return id
}

/**
 * Records that a suggestion was used. Only the caller who saw it may report that; other reports are ignored with the
 * same answer.
 */
export const convert = async (
  ctx: Ctx<Actor>,
  { ref, resource_name, resource_type = '' }: ConvertSuggestion,
): Promise<void> => {
  const { actor } = ctx
  const owner = isMember(actor) ? { teamId: actor.teamId, userId: actor.userId } : null
  await store.insertConversion(ctx.db, { ref, resource_name, resource_type, owner, now: ctx.now().toISOString() })
}
