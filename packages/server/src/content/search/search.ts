// GET and POST /search: the best results of each collection in one list.
import {
  type Collection,
  collections,
  type SearchHit,
  type SearchRequest,
  type SearchResponse,
} from '@millrace/contract/search'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { find, type ScoredCandidate } from './find.ts'
import { searchKinds } from './kinds.ts'

const defaultLimit = 20
const maxLimit = 100

const collectionOf: ReadonlyMap<string, Collection> = new Map(
  searchKinds.map(({ kind, collection }) => [kind, collection]),
)

const hitDto = (found: ScoredCandidate): SearchHit => ({
  collection: collectionOf.get(found.kind) ?? 'pages',
  id: found.id,
  score: found.score,
  fields: {
    namespace: found.namespace,
    name: found.name,
    title: found.title || found.name,
    description: found.description,
    tags: found.tags,
    ...(found.resource_kind === '' ? {} : { type: found.resource_kind }),
  },
})

export const search = async (ctx: Ctx<Actor>, request: SearchRequest): Promise<SearchResponse> => {
  const query = request.query || request.q || ''
  if (query.trim() === '') throw fail('invalid_request', 'query is required')
  const requested = request.collections?.length ? request.collections : request.type ? [request.type] : collections
  const limit = Math.min(request.limit ?? defaultLimit, maxLimit)
  const kinds = searchKinds
    .filter(({ collection }) => requested.some((one) => one === collection))
    .map(({ kind }) => kind)
  const shown = new Map<string, number>()
  const results = (await find(ctx, { query, kinds, limit })).filter(({ kind }) => {
    const count = (shown.get(kind) ?? 0) + 1
    shown.set(kind, count)
    return count <= limit
  })
  return { query, results: results.map(hitDto) }
}
