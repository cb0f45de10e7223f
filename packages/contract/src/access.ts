// Schemas of access: scopes, API keys, the audit log.
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
  key: Type.String({ description: 'The full key in the reply that created it, masked everywhere else' }),
  scope: StringEnum(['user', 'workspace']),
  created_by: Type.String(),
  creator: Type.Object({
    id: Type.String(),
    name: Type.String(),
    full_name: Type.String(),
    email: Type.String(),
    avatar_url: Type.String(),
  }),
  scopes: Type.Array(Type.String(), { description: 'Empty: every scope that a key can have' }),
  last_used_at: Type.Optional(Timestamp),
  expires_at: Type.Optional(Timestamp),
  source: Type.String(),
  previous_expires_at: Type.Optional(Timestamp),
})
export type ApiKey = Static<typeof ApiKey>

// `source`, `user_id` and `created_by` are missing on purpose: the server sets them and ignores what callers send.
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
      description: `Seconds that the old value remains valid; default ${rotationGraceDefaultSeconds}, 0 revokes it at once`,
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

/** The possible faults of the first row that fails verification. */
export const auditFaults = [
  /** The content of the row does not match its seal. */
  'edited',
  /** A row was removed. */
  'missing',
  /** The row does not follow its predecessor. */
  'out_of_place',
  /** A row without an append. */
  'unexpected',
  /** A valid row that differs from a signed checkpoint: the log was rewritten. */
  'rewritten',
  /** A checkpoint that was not signed with the master key. */
  'forged_checkpoint',
  /** A closed segment without this installation's seal. */
  'forged_segment',
] as const
export type AuditFault = (typeof auditFaults)[number]

export const AuditCheck = Type.Object({
  ok: Type.Boolean({ description: 'Every row of the log, across all workspaces, is unchanged' }),
  rows: Type.Integer({ description: 'Existing rows of this workspace' }),
  checked_at: Timestamp,
  reason: Type.Optional(StringEnum(auditFaults)),
  entry_id: Type.Optional(Type.String({ description: 'The first invalid row, if it belongs to this workspace' })),
})
export type AuditCheck = Static<typeof AuditCheck>
