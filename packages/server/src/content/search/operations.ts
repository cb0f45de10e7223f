// Operations of search. They are open to everyone; the results depend on the caller.
import {
  ConvertSuggestion,
  EndSession,
  endSessionMaxBytes,
  Nothing,
  SearchQuery,
  SearchRequest,
  SearchResponse,
  SuggestQuery,
  SuggestRequest,
  SuggestResponse,
} from '@millrace/contract/search'
import { operation } from '#platform/core/operation.ts'
import { answering, suggestStatuses } from './answering.ts'
import { searchKinds } from './kinds.ts'
import { search } from './search.ts'
import { endSession } from './suggestions/session-end.ts'
import { convert, suggest } from './suggestions/suggest.ts'

/** Without the scope of a kind, a caller finds only its public documents. */
const readScopes = [...new Set(searchKinds.flatMap(({ readScope }) => readScope ?? []))].sort()

export const searchOperations = [
  operation({
    name: 'search.query',
    route: 'GET /search',
    summary: 'Search apps, skills, knowledge, agents, flows, MCP servers and pages',
    scope: 'optional',
    checkedScopes: readScopes,
    query: SearchQuery,
    missingField: 'invalid_request',
    reply: SearchResponse,
    fails: ['invalid_request', 'validation_error', 'search_error', 'search_unavailable'],
    run: (ctx, { query }) => answering(ctx, () => search(ctx, { query: query.q, type: query.collection })),
  }),
  operation({
    name: 'search.find',
    route: 'POST /search',
    summary: 'Search selected collections',
    scope: 'optional',
    checkedScopes: readScopes,
    body: SearchRequest,
    missingField: 'invalid_request',
    replay: 'never',
    reply: SearchResponse,
    fails: ['invalid_request', 'validation_error', 'search_error', 'search_unavailable'],
    run: (ctx, { body }) => answering(ctx, () => search(ctx, body)),
  }),
  operation({
    name: 'suggest.query',
    route: 'GET /suggest',
    summary: 'Suggest resources for a short description of a task',
    scope: 'optional',
    checkedScopes: readScopes,
    unsafeGet: true,
    query: SuggestQuery,
    missingField: 'invalid_request',
    reply: SuggestResponse,
    fails: ['invalid_request', 'search_error', 'search_unavailable'],
    statuses: suggestStatuses,
    run: (ctx, { query }) => answering(ctx, () => suggest(ctx, { query: query.q }), suggestStatuses),
  }),
  operation({
    name: 'suggest.find',
    route: 'POST /suggest',
    summary: 'Suggest resources for a task and its context',
    scope: 'optional',
    checkedScopes: readScopes,
    body: SuggestRequest,
    missingField: 'invalid_request',
    replay: 'never',
    reply: SuggestResponse,
    fails: ['invalid_request', 'validation_error', 'search_error', 'search_unavailable'],
    statuses: suggestStatuses,
    run: (ctx, { body }) => answering(ctx, () => suggest(ctx, body), suggestStatuses),
  }),
  operation({
    name: 'suggest.convert',
    route: 'POST /suggest/convert',
    summary: 'Report that a suggestion was used',
    scope: 'optional',
    body: ConvertSuggestion,
    missingField: 'invalid_request',
    wrongField: 'invalid_request',
    reply: Nothing,
    fails: ['invalid_request'],
    run: async (ctx, { body }) => {
      await convert(ctx, body)
      return {}
    },
  }),
  operation({
    name: 'agent_sessions.end',
    route: 'POST /session/end',
    summary: 'Report how a session of a coding agent ended',
    scope: 'optional',
    body: EndSession,
    wrongField: 'invalid_request',
    bodyLimitBytes: endSessionMaxBytes,
    replay: 'never',
    reply: Nothing,
    fails: ['invalid_request', 'payload_too_large'],
    run: async (ctx, { body }) => {
      await endSession(ctx, body)
      return {}
    },
  }),
]
