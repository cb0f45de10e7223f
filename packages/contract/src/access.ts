// Shapes of access: the scope catalogue, API keys, the audit log, entitlements.
import Type from 'typebox'

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
