// Schemas of search, suggestions, and feedback on them.
import Type, { type Static } from 'typebox'
import { JsonObject, StringEnum } from './common.ts'

export const collections = ['apps', 'skills', 'knowledge', 'agents', 'flows', 'mcp_servers', 'pages'] as const
export type Collection = (typeof collections)[number]

export const suggestTypes = ['app', 'skill', 'knowledge', 'agent', 'mcp', 'doc'] as const
export type SuggestType = (typeof suggestTypes)[number]

const Query = Type.String({ maxLength: 10_000 })

export const SearchQuery = Type.Object({
  q: Query,
  collection: Type.Optional(StringEnum([...collections, ''])),
})

/** `q` is an alias of `query`; `type` is an alias of a list with one collection. */
export const SearchRequest = Type.Object({
  query: Type.Optional(Query),
  q: Type.Optional(Query),
  collections: Type.Optional(Type.Array(StringEnum(collections), { maxItems: 20 })),
  type: Type.Optional(StringEnum([...collections, ''])),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: 'Per collection; default 20, at most 100' })),
})
export type SearchRequest = Static<typeof SearchRequest>

export const SearchHit = Type.Object({
  collection: StringEnum(collections),
  id: Type.String(),
  score: Type.Number({ minimum: 0, maximum: 1 }),
  fields: JsonObject,
})
export type SearchHit = Static<typeof SearchHit>

export const SearchResponse = Type.Object({ query: Type.String(), results: Type.Array(SearchHit) })
export type SearchResponse = Static<typeof SearchResponse>

export const SuggestQuery = Type.Object({ q: Query })

export const SuggestRequest = Type.Object({
  query: Query,
  context: Type.Optional(Type.String({ maxLength: 200_000 })),
  scope: Type.Optional(Type.Array(Type.String({ maxLength: 512 }), { maxItems: 64 })),
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
  category: Type.Optional(StringEnum([...suggestTypes, ''])),
  origin: Type.Optional(Type.String({ maxLength: 2048, description: 'Entries of this origin are excluded' })),
})
export type SuggestRequest = Static<typeof SuggestRequest>

export const SuggestResult = Type.Object({
  type: StringEnum(suggestTypes),
  tag: Type.Optional(Type.String()),
  name: Type.String(),
  description: Type.String(),
  command: Type.String(),
  score: Type.Number({ minimum: 0, maximum: 1 }),
})
export type SuggestResult = Static<typeof SuggestResult>

export const SuggestResponse = Type.Object({
  query: Type.String(),
  results: Type.Array(SuggestResult),
  impression_id: Type.Optional(Type.String()),
})
export type SuggestResponse = Static<typeof SuggestResponse>

/** No maximum length: an unknown value gets the same reply as a known one. */
export const ConvertSuggestion = Type.Object({
  ref: Type.String({ minLength: 1 }),
  resource_name: Type.String({ minLength: 1 }),
  resource_type: Type.Optional(Type.String()),
})
export type ConvertSuggestion = Static<typeof ConvertSuggestion>

/** The service limits the lengths: too long values are truncated or not stored, never rejected. */
export const EndSession = Type.Object({
  session_id: Type.Optional(Type.String()),
  agent: Type.Optional(Type.String()),
  messages: Type.Optional(Type.Integer()),
  user_turns: Type.Optional(Type.Integer()),
  files_edited: Type.Optional(Type.Integer()),
  tools: Type.Optional(Type.Array(Type.String())),
})
export type EndSession = Static<typeof EndSession>

export const endSessionMaxBytes = 64 * 1024

export const Nothing = Type.Object({})
