// Schemas shared by all resources: identifiers, ownership, list requests and pages.
import Type, { type Static, type TSchema } from 'typebox'

/** RFC 3339, UTC, microseconds. */
export const Timestamp = Type.String({ format: 'date-time' })

/** A nullable schema without a union, so that the compiled serializer stays fast. */
export const Nullable = <T extends TSchema & { type: string }>(schema: T) =>
  Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] })

/** Any JSON value. */
export const Json = Type.Unknown()

export const JsonObject = Type.Record(Type.String(), Type.Unknown())

export const StringEnum = <const T extends readonly string[]>(values: T, options: object = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })

export const baseFields = {
  id: Type.String(),
  short_id: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
  deleted_at: Nullable(Timestamp),
}

export const visibilities = ['private', 'team', 'org', 'unlisted', 'public'] as const
export type Visibility = (typeof visibilities)[number]

export const UserRelation = Type.Object({
  id: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
  role: Type.String(),
  avatar_url: Type.String(),
})

export const TeamRelation = Type.Object({
  id: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
  type: Type.String(),
  username: Type.String(),
  avatar_url: Type.String(),
  setup_completed: Type.Boolean(),
})

export const permissionFields = {
  user_id: Type.String(),
  user: Type.Optional(Nullable(UserRelation)),
  team_id: Type.String(),
  team: Type.Optional(Nullable(TeamRelation)),
  org_id: Type.Optional(Type.String()),
  visibility: StringEnum(visibilities),
}

export const Notice = Type.Object({
  level: StringEnum(['info', 'warning']),
  code: Type.String(),
  message: Type.String(),
  meta: Type.Optional(JsonObject),
})
export type Notice = Static<typeof Notice>

export const Success = Type.Object({ success: Type.Boolean() })

/** The service checks the length, because it knows the kind of resource and the stored value. */
export const Description = Type.String()

/** No maximum length: a name that does not exist answers `not_found`, whatever its length. */
export const PathText = Type.String({ minLength: 1 })

export const IdPath = Type.Object({ id: PathText })

/** Alternative to the header Last-Event-ID, for clients that cannot set headers. */
export const StreamQuery = Type.Object({ last_event_id: Type.Optional(Type.String({ maxLength: 20 })) })

export const filterOperators = [
  'eq',
  'neq',
  'in',
  'not_in',
  'gt',
  'gte',
  'lt',
  'lte',
  'like',
  'ilike',
  'contains',
  'not_contains',
  'is_null',
  'is_not_null',
  'is_empty',
  'is_not_empty',
] as const
export type FilterOperator = (typeof filterOperators)[number]

// The list engine checks operators and columns and names the invalid one; the schema only checks the structure.
export const ListRequest = Type.Object({
  limit: Type.Optional(Type.Integer({ description: 'Page size; -1 returns all matches' })),
  // No maximum length: a cursor contains the values that the list is sorted by.
  cursor: Type.Optional(Type.String()),
  page: Type.Optional(Type.Integer({ minimum: 1, description: '1-based; ignored if a cursor is set' })),
  direction: Type.Optional(StringEnum(['forward', 'backward', 'next', 'prev', ''])),
  sort: Type.Optional(
    Type.Array(Type.Object({ field: Type.String(), dir: Type.Optional(StringEnum(['asc', 'desc'])) }), { maxItems: 8 }),
  ),
  filters: Type.Optional(
    Type.Array(
      Type.Object({ field: Type.String(), operator: Type.Optional(Type.String()), value: Type.Optional(Json) }),
      { maxItems: 32 },
    ),
  ),
  search: Type.Optional(
    Type.Object({
      term: Type.Optional(Type.String({ maxLength: 256 })),
      fields: Type.Optional(Type.Array(Type.String())),
      exact: Type.Optional(Type.Boolean()),
    }),
  ),
  fields: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
  preloads: Type.Optional(Type.Array(Type.String(), { maxItems: 20 })),
  permissions: Type.Optional(Type.Array(Type.String(), { maxItems: 3 })),
  include_others: Type.Optional(Type.Boolean()),
  include_private: Type.Optional(Type.Boolean()),
})
export type ListRequest = Static<typeof ListRequest>

export const PageOf = <T extends TSchema>(item: T) =>
  Type.Object({
    items: Type.Array(item),
    next_cursor: Type.String(),
    prev_cursor: Type.String(),
    has_next: Type.Boolean(),
    has_previous: Type.Boolean(),
    items_per_page: Type.Integer(),
    total_items: Type.Integer(),
  })

export type Page<T> = {
  items: T[]
  next_cursor: string
  prev_cursor: string
  has_next: boolean
  has_previous: boolean
  items_per_page: number
  total_items: number
}
