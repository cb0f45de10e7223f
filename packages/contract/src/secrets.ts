// Schemas of secrets. A value is only accepted by create and update, and only returned by reveal.
import Type, { type Static } from 'typebox'
import { baseFields, PathText, permissionFields, StringEnum, Timestamp } from './common.ts'

export const secretScopes = ['team', 'internal', 'system'] as const

export const secretKeyMaxLength = 128
export const secretValueMaxBytes = 65_536
export const secretDescriptionMaxLength = 1000
/** Earlier values that can be restored. */
export const previousVersionsKept = 10

export const Secret = Type.Object({
  ...baseFields,
  ...permissionFields,
  key: Type.String(),
  masked_value: Type.String({ description: 'Never the value; at most its last four characters' }),
  description: Type.String(),
  scope: StringEnum(secretScopes),
  credential_id: Type.Optional(Type.String({ description: 'Set while the secret belongs to a provider credential' })),
  version: Type.Integer({ description: 'Number of values that the secret has had' }),
})
export type Secret = Static<typeof Secret>

export const SecretKeyPath = Type.Object({ key: PathText })

/** Empty means the provider's default. */
const ConnectionScope = StringEnum(['', 'user', 'team', 'org', 'platform'])

const providerFields = {
  provider_name: Type.Optional(
    Type.String({
      maxLength: 128,
      description: 'Display name of an unlisted provider; ignored for listed ones',
    }),
  ),
  provider_website: Type.Optional(
    Type.String({ maxLength: 512, description: 'Website of an unlisted provider, used to find its logo' }),
  ),
  connection_scope: Type.Optional(ConnectionScope),
}

// An empty key or value counts as missing, which the service checks; the schema only limits the length.
export const CreateSecret = Type.Object({
  key: Type.String({ maxLength: secretKeyMaxLength }),
  value: Type.String({ maxLength: secretValueMaxBytes }),
  description: Type.Optional(Type.String({ maxLength: secretDescriptionMaxLength })),
  provider: Type.Optional(Type.String({ description: 'Makes the secret a credential of this provider' })),
  ...providerFields,
})
export type CreateSecret = Static<typeof CreateSecret>

export const UpdateSecret = Type.Object({
  value: Type.String({ maxLength: secretValueMaxBytes }),
  description: Type.Optional(Type.String({ maxLength: secretDescriptionMaxLength })),
})
export type UpdateSecret = Static<typeof UpdateSecret>

export const AttachProvider = Type.Object({
  provider: Type.String({ description: 'Empty detaches' }),
  ...providerFields,
})
export type AttachProvider = Static<typeof AttachProvider>

export const RevealedSecret = Type.Object({ key: Type.String(), value: Type.String() })
export type RevealedSecret = Static<typeof RevealedSecret>

export const SecretVersion = Type.Object({
  id: Type.String(),
  version: Type.Integer(),
  masked_value: Type.String(),
  current: Type.Boolean(),
  user_id: Type.String({ description: 'The person who set this value' }),
  created_at: Timestamp,
})
export type SecretVersion = Static<typeof SecretVersion>

export const RestoreSecret = Type.Object({ version_id: Type.String({ minLength: 1, maxLength: 64 }) })
export type RestoreSecret = Static<typeof RestoreSecret>
