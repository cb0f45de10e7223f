// Shapes of access: the scope catalogue, API keys, the audit log.
import Type, { type Static } from 'typebox'
import { baseFields, JsonObject, permissionFields, StringEnum, Timestamp } from './common.ts'

const ScopeRow = Type.Object({
  value: Type.String(),
  label: Type.String(),
  description: Type.String(),
  group: Type.String(),
})

const ScopeGroup = Type.Object({
  id: Type.String(),
  label: Type.String(),
  description: Type.String(),
  public_rows: Type.Optional(Type.Boolean()),
})

const ScopePreset = Type.Object({
  id: Type.String(),
  label: Type.String(),
  description: Type.String(),
  summary: Type.Array(Type.String()),
  scopes: Type.Array(Type.String()),
  hidden: Type.Optional(Type.Boolean()),
})

export const ScopeCatalog = Type.Object({
  scopes: Type.Array(ScopeRow),
  groups: Type.Array(ScopeGroup),
  presets: Type.Array(ScopePreset),
  account_scopes: Type.Array(ScopeRow),
  account_groups: Type.Array(ScopeGroup),
  login_preset: Type.String(),
  grants: Type.Array(Type.String()),
})

export const ApiKey = Type.Object({
  ...baseFields,
  ...permissionFields,
  name: Type.String(),
  key: Type.String({ description: 'Whole in the answer that made it, masked everywhere else' }),
  scope: StringEnum(['user', 'workspace']),
  created_by: Type.String(),
  creator: Type.Object({
    id: Type.String(),
    name: Type.String(),
    full_name: Type.String(),
    email: Type.String(),
    avatar_url: Type.String(),
  }),
  scopes: Type.Array(Type.String(), { description: 'Empty: every scope a key can hold' }),
  last_used_at: Type.Optional(Timestamp),
  expires_at: Type.Optional(Timestamp),
  source: Type.String(),
  previous_expires_at: Type.Optional(Timestamp),
})
export type ApiKey = Static<typeof ApiKey>

// `source`, `user_id` and `created_by` are not here on purpose: the server sets them and ignores what is sent.
export const CreateApiKey = Type.Object({
  name: Type.String({ pattern: '\\S', maxLength: 128 }),
  scope: Type.Optional(StringEnum(['user', 'workspace'])),
  scopes: Type.Optional(Type.Array(Type.String({ maxLength: 128 }), { maxItems: 256 })),
  expires_at: Type.Optional(Type.String({ maxLength: 64, description: 'ISO timestamp in the future' })),
})
export type CreateApiKey = Static<typeof CreateApiKey>

export const rotationGraceDefaultSeconds = 24 * 3600
export const rotationGraceMaxSeconds = 30 * 24 * 3600

export const RotateApiKey = Type.Object({
  grace_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: rotationGraceMaxSeconds,
      description: `How long the old value stays valid; default ${rotationGraceDefaultSeconds}, 0 ends it at once`,
    }),
  ),
})
export type RotateApiKey = Static<typeof RotateApiKey>

export const AuditEntry = Type.Object({
  id: Type.String(),
  created_at: Timestamp,
  team_id: Type.String(),
  actor_user_id: Type.String(),
  actor_kind: Type.String(),
  actor_id: Type.String(),
  action: Type.String(),
  resource_type: Type.String(),
  resource_id: Type.String(),
  meta: JsonObject,
  ip: Type.String(),
  user_agent: Type.String(),
  hash: Type.String(),
  previous_hash: Type.String(),
})
export type AuditEntry = Static<typeof AuditEntry>

/** What a check of the log may find at the first row that is not as it was written. */
export const auditFaults = [
  /** The row does not say what was sealed. */
  'edited',
  /** A row that was there is gone. */
  'missing',
  /** The row is not the one that followed its predecessor. */
  'out_of_place',
  /** A row that nobody appended. */
  'unexpected',
  /** A row that is sound in itself, but is not the one a signed witness has seen: the log was written anew. */
  'rewritten',
  /** A witness that nobody with the master key has signed. */
  'forged_checkpoint',
  /** A stretch that is said to have been closed, without this installation's seal. */
  'forged_segment',
] as const
export type AuditFault = (typeof auditFaults)[number]

export const AuditCheck = Type.Object({
  ok: Type.Boolean({ description: 'Every row of the log, of this workspace and all others, is as it was written' }),
  rows: Type.Integer({ description: 'Rows of this workspace that are there' }),
  checked_at: Timestamp,
  reason: Type.Optional(StringEnum(auditFaults)),
  entry_id: Type.Optional(Type.String({ description: 'The first broken row, where it is one of this workspace' })),
})
export type AuditCheck = Static<typeof AuditCheck>
