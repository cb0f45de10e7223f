// Schemas of vaults: named groups of a workspace's secrets and credentials.
import Type, { type Static } from 'typebox'
import { baseFields, permissionFields, Timestamp } from './common.ts'

export const Vault = Type.Object({
  ...baseFields,
  ...permissionFields,
  name: Type.String(),
  description: Type.String(),
  is_default: Type.Boolean(),
  credential_count: Type.Integer(),
  secret_count: Type.Integer(),
})
export type Vault = Static<typeof Vault>

const name = Type.String({ maxLength: 128 })
const description = Type.String({ maxLength: 1000 })

export const CreateVault = Type.Object({
  name: Type.String({ pattern: '\\S', maxLength: 128 }),
  description: Type.Optional(description),
})
export type CreateVault = Static<typeof CreateVault>

/** The whole vault: missing fields become empty. */
export const ReplaceVault = Type.Object({
  name: Type.Optional(name),
  description: Type.Optional(description),
  is_default: Type.Optional(Type.Boolean()),
})
export type ReplaceVault = Static<typeof ReplaceVault>

// An empty id counts as missing, which the service checks.
export const VaultSecretRef = Type.Object({ secret_id: Type.String({ maxLength: 64 }) })
export const VaultCredentialRef = Type.Object({ credential_id: Type.String({ maxLength: 64 }) })

export const VaultCredential = Type.Object({
  id: Type.String(),
  provider: Type.String(),
  type: Type.String(),
  scope: Type.String(),
  status: Type.String(),
  display_name: Type.String(),
  scopes: Type.Array(Type.String()),
  is_primary: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type VaultCredential = Static<typeof VaultCredential>
